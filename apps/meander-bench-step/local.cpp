// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "local.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/process.hpp"
#include "cases.hpp"
#include "rest.hpp"
#include "simulation/config/config.hpp"
#include "simulation/module.hpp"
#include "simulation/simulation.hpp"
#include "timed_run.hpp"

namespace meander::bench {
namespace {

std::string nest(const std::string& scheme, int p, int levels, int dim, const char* stepping) {
  return fmt::format(
      "[domain]\ndimensions = {}\n[boundary]\nall = \"periodic\"\n"
      "[mesh]\npatch-size = {}\nmin-level = 1\nmax-level = {}\nbuffer = 0\nregrid-every = 1000000\n"
      "subcycled-levels = {}\n[[refinement]]\nkind = \"ball\"\nradius = 1e-4\n"
      "{}[time]\nstepping = \"{}\"\nend = 1e9\n",
      dim, p, levels, levels - 1, terms_of(scheme, dim), stepping);
}

struct Pace {
  double span;     // simulated time of a repeat
  double seconds;  // of CPU time for a unit of simulated time, median
  double ns;       // of CPU time for a volume and its step, median
  std::int64_t leaves;
  double gain;  // in updates
};

// Each repeat begins with the initial state and covers the same simulated time: `span`, or if that is 0 the time of
// `updates` volume updates. A gas that collapses has ever smaller steps.
Pace measure(const std::string& input, double updates, double span, int threads, int repeats) {
  const auto config = simulation::load_config_text(input, "bench", {}, simulation::scenarios(), 1e12);
  std::vector<double> seconds, ns;
  Pace pace{span, 0, 0, 0, 1.0};
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto run = simulation::make_simulation(config, threads);
    for (int step = 0; step < 2; ++step) run->advance(1e9);
    const double start = processor_seconds(), t = run->time();
    const std::int64_t before = run->volume_updates();
    do {
      run->advance(1e9);
    } while (pace.span > 0 ? run->time() - t < pace.span
                           : static_cast<double>(run->volume_updates() - before) < updates);
    const double spent = processor_seconds() - start;
    if (pace.span == 0) pace.span = run->time() - t;
    seconds.push_back(spent / (run->time() - t));
    ns.push_back(1e9 * spent / static_cast<double>(run->volume_updates() - before));
    pace.leaves = run->leaves().total;
    if (const auto local = run->local_steps()) pace.gain = local->gain();
  }
  std::ranges::sort(seconds);
  std::ranges::sort(ns);
  pace.seconds = seconds[seconds.size() / 2];
  pace.ns = ns[ns.size() / 2];
  return pace;
}

// One rank and all ranks advance in turn, so that changes of the machine's load affect both.
void compare_on_ranks(const std::string& scheme, int p, int levels, const LocalChoice& choice,
                      const parallel::Communicator& world) {
  const auto config = simulation::load_config_text(nest(scheme, p, levels, choice.dim, "local"), "bench", {},
                                                   simulation::scenarios(), 1e12);
  std::optional<TimedRun> alone;
  if (world.is_root()) alone.emplace(config, choice.threads, parallel::Communicator{});
  rest_until_all_arrive();
  TimedRun together(config, choice.threads, world);
  const int steps = together.steps_in(2.0);
  for (int repeat = 0; repeat < choice.repeats; ++repeat) {
    if (world.is_root()) alone->advance(steps);
    rest_until_all_arrive();
    together.advance(steps);
  }
  const auto path = simulation::step_path(*together.run().local_steps(), together.run().view().levels,
                                          choice.threads, world);
  const OverlapTime own = together.run().times().messages;
  const double times[] = {own.under_way, own.hidden};
  OverlapTime messages;
  const auto of_ranks = world.all_gather<double>(std::span<const double>(times));
  for (std::size_t i = 0; i < of_ranks.size(); i += 2) messages += {of_ranks[i], of_ranks[i + 1], 0};
  if (!world.is_root()) return;
  fmt::print("{:17} {:>3} {:>6} {:>7} {:>9.2f} {:>9.2f} {:>8.2f} {:>10.2f} {:>9.1f} {:>11.1f}\n", scheme, p,
             levels, together.run().leaves().total, 1e3 * alone->median(), 1e3 * together.median(),
             alone->median() / together.median(), world.size() * path.share(), together.percent_waiting(),
             100 * messages.share());
}

}  // namespace

void compare_local_ranks(const LocalChoice& choice, const parallel::Communicator& world) {
  if (world.is_root()) {
    fmt::print("{} ranks x {} threads, wall time of a step of the coarsest level\n", world.size(),
               choice.threads);
    fmt::print("{:17} {:>3} {:>6} {:>7} {:>9} {:>9} {:>8} {:>10} {:>9} {:>11}\n", "scheme", "p", "levels",
               "leaves", "1 [ms]", "all [ms]", "speedup", "by ticks", "wait [%]", "hidden [%]");
  }
  for (const std::string& scheme : choice.schemes) {
    for (const int p : choice.patch_sizes) {
      for (const int levels : choice.levels) compare_on_ranks(scheme, p, levels, choice, world);
    }
  }
}

void compare_local_steps(const LocalChoice& choice) {
  fmt::print("{:17} {:>3} {:>6} {:>7} {:>8} {:>8} {:>16} {:>9} {:>9}\n", "scheme", "p", "levels", "leaves",
             "gain", "ideal", "gain / ideal", "global ns", "local ns");
  for (const std::string& scheme : choice.schemes) {
    for (const int p : choice.patch_sizes) {
      for (const int levels : choice.levels) {
        const auto pace = [&](const char* stepping, double span) {
          return measure(nest(scheme, p, levels, choice.dim, stepping), updates_of_repeat(scheme), span,
                         choice.threads, choice.repeats);
        };
        const Pace local = pace("local", 0), global = pace("global", local.span);
        const double gain = global.seconds / local.seconds;
        fmt::print("{:17} {:>3} {:>6} {:>7} {:>8.2f} {:>8.2f} {:>16.2f} {:>9.1f} {:>9.1f}\n", scheme, p,
                   levels, local.leaves, gain, local.gain, gain / local.gain, global.ns, local.ns);
      }
    }
  }
}

}  // namespace meander::bench
