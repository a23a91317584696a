// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/offload_report.hpp"

#include <fmt/format.h>

#include <array>

namespace meander::simulation {
namespace {

double ratio(std::int64_t part, std::int64_t whole, double otherwise) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : otherwise;
}

// All figures, in one order: for the sum over ranks and for summary.json.
auto figures_of(OffloadReport& report) {
  tasks::OffloadCounts& c = report.counts;
  return std::array<std::pair<const char*, std::int64_t*>, 11>{{
      {"offload_batches", &c.batches},
      {"offload_patch_updates", &c.patches},
      {"offload_failed_batches", &c.failed},
      {"offload_deferred_batches", &c.deferred},
      {"offload_retried_batches", &c.retried},
      {"offload_split_batches", &c.split},
      {"offload_fallback_patch_updates", &c.on_cpu},
      {"offload_devices_given_up", &c.given_up},
      {"patch_updates", &report.updates},
      {"gpu_memory_allocations", &report.allocations},
      {"gpu_memory_cache_hits", &report.cache_hits},
  }};
}

}  // namespace

double OffloadReport::share() const {
  return ratio(counts.patches, updates, 0);
}

double OffloadReport::hit_rate() const {
  return ratio(cache_hits, allocations, 1);
}

std::optional<OffloadReport> sum_over_ranks(const std::optional<OffloadReport>& own,
                                            const mesh::Communicator& communicator) {
  if (!own) return own;
  OffloadReport all = *own;
  const auto figures = figures_of(all);
  std::vector<std::int64_t> sums;
  for (const auto& figure : figures) sums.push_back(*figure.second);
  communicator.sum(std::span<std::int64_t>(sums));
  for (std::size_t i = 0; i < sums.size(); ++i) *figures[i].second = sums[i];
  return all;
}

std::vector<std::string> offload_lines(const OffloadReport& report) {
  const tasks::OffloadCounts& c = report.counts;
  std::vector<std::string> lines;
  lines.push_back(fmt::format(
      "  offloaded: {} batches, {:.1f} % of the volume updates; {:.1f} % of {} allocations from the cache",
      c.batches, 100 * report.share(), 100 * report.hit_rate(), report.allocations));
  if (c.failed + c.deferred > 0) {
    lines.push_back(fmt::format(
        "  of these, {} batches failed at first and {} waited for memory: {} retried, {} split, {} patch "
        "updates "
        "done on the CPU instead; {} device{} given up",
        c.failed, c.deferred, c.retried, c.split, c.on_cpu, c.given_up, c.given_up == 1 ? "" : "s"));
  }
  return lines;
}

std::vector<std::pair<std::string, std::string>> offload_figures(const OffloadReport& report) {
  OffloadReport copy = report;
  std::vector<std::pair<std::string, std::string>> list;
  for (const auto& [key, value] : figures_of(copy)) list.emplace_back(key, fmt::format("{}", *value));
  list.emplace_back("offload_share_of_volumes", fmt::format("{}", report.share()));
  list.emplace_back("gpu_memory_hit_rate", fmt::format("{}", report.hit_rate()));
  return list;
}

}  // namespace meander::simulation
