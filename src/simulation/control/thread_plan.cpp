// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/control/thread_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace meander::simulation {

namespace {

int count(const Processors& mask) {
  return static_cast<int>(mask.count());
}

int default_threads(std::span<const Processors> masks, const Processors& mask) {
  const auto sharers = static_cast<int>(std::count(masks.begin(), masks.end(), mask));
  return std::max(1, count(mask) / sharers);
}

std::string plural(int number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

}  // namespace

ThreadPlan plan_threads(std::span<const Processors> masks, std::size_t self, int usable, int asked,
                        bool bound_by_launcher) {
  ThreadPlan plan;
  Processors all;
  int threads = 0;
  for (const Processors& mask : masks) {
    all |= mask;
    threads += asked > 0 ? asked : default_threads(masks, mask);
  }
  plan.threads = asked > 0 ? asked : default_threads(masks, masks[self]);
  const auto ranks = static_cast<int>(masks.size());
  const int bound_to = count(all);
  const std::string unbind = bound_to < usable && bound_by_launcher
                                 ? fmt::format("mpirun --bind-to none (or --map-by slot:PE={}) allows all {}",
                                               std::max(1, usable / ranks), usable)
                                 : "";
  if (threads > bound_to) {
    plan.warnings.push_back(fmt::format("{} with {} in total share {}{}", plural(ranks, "rank"),
                                        plural(threads, "thread"), plural(bound_to, "processor"),
                                        unbind.empty() ? "" : "; " + unbind));
  } else if (!unbind.empty() && asked == 0) {
    plan.warnings.push_back(
        fmt::format("{} of this node's {} processors are idle because the ranks are bound to {}; {}",
                    usable - bound_to, usable, bound_to, unbind));
  } else if (threads < bound_to && asked == 0) {
    plan.warnings.push_back(
        fmt::format("{} of {} processors are idle; a number of ranks that divides {} would use all",
                    bound_to - threads, bound_to, bound_to));
  }
  return plan;
}

void check_threads(const parallel::Communicator& communicator, int asked) {
  constexpr int most_per_processor = 4;
  const int usable = count(usable_processors());
  communicator.agree([&] {
    if (asked <= most_per_processor * usable) return;
    throw InputError(fmt::format("meander: --threads {}: must be at most {}, {} for each of {}", asked,
                                 most_per_processor * usable, most_per_processor,
                                 plural(usable, "processor")));
  });
}

ThreadPlan plan_threads(const parallel::Communicator& communicator, int asked) {
  const parallel::Communicator node = communicator.of_node();
  const std::vector<Processors> masks = node.all_gather(processors_of_process());
  return plan_threads(masks, static_cast<std::size_t>(node.rank()), count(usable_processors()), asked,
                      launched_rank() >= 0);
}

int launched_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK"}) {
    if (const char* rank = std::getenv(name)) return std::atoi(rank);
  }
  return -1;
}

}  // namespace meander::simulation
