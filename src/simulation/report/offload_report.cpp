// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/report/offload_report.hpp"

#include <fmt/format.h>

#include <array>

namespace meander::simulation {
namespace {

double ratio(std::int64_t part, std::int64_t whole, double otherwise) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : otherwise;
}

// All figures in a fixed order, for the sum over ranks and for summary.json.
auto figures_of(OffloadReport& report) {
  offload::Counts& c = report.counts;
  return std::array<std::pair<const char*, std::int64_t*>, 18>{{
      {"offload_devices", &report.devices},
      {"offload_batches", &c.batches},
      {"offload_patch_updates", &c.patches},
      {"offload_failed_batches", &c.failed},
      {"offload_deferred_batches", &c.deferred},
      {"offload_retried_batches", &c.retried},
      {"offload_split_batches", &c.split},
      {"offload_fallback_patch_updates", &c.on_cpu},
      {"offload_devices_given_up", &c.given_up},
      {"patch_updates", &report.updates},
      {"enclave_patch_updates", &report.enclaves},
      {"gpu_memory_allocations", &report.allocations},
      {"gpu_memory_cache_hits", &report.cache_hits},
      {"gpu_memory_fallbacks", &report.fallbacks},
      {"gpu_memory_evictions", &report.evictions},
      {"gpu_memory_allocations_while_busy", &report.while_busy},
      {"gpu_memory_bytes", &report.device_bytes},
      {"gpu_memory_peak_bytes", &report.peak_device_bytes},
  }};
}

std::array<double*, 6> seconds_of(OffloadReport& report) {
  return {&report.batches.under_way,  &report.batches.hidden, &report.rates.thread_patch,
          &report.rates.device_patch, &report.rates.batch,    &report.memory_waits};
}

}  // namespace

double OffloadReport::share() const {
  return ratio(counts.patches, updates, 0);
}

double OffloadReport::hit_rate() const {
  return ratio(cache_hits, allocations, 1);
}

std::optional<OffloadReport> sum_over_ranks(const std::optional<OffloadReport>& own,
                                            const parallel::Communicator& communicator) {
  const std::int64_t with_devices = communicator.sum(std::int64_t{own.has_value()});
  if (with_devices == 0) return std::nullopt;
  OffloadReport all = own.value_or(OffloadReport{});
  const auto figures = figures_of(all);
  std::vector<std::int64_t> sums;
  for (const auto& figure : figures) sums.push_back(*figure.second);
  communicator.sum(std::span<std::int64_t>(sums));
  for (std::size_t i = 0; i < sums.size(); ++i) *figures[i].second = sums[i];
  const auto seconds = seconds_of(all);
  std::vector<double> own_seconds;
  for (double* const value : seconds) own_seconds.push_back(*value);
  const auto gathered = communicator.all_gather<double>(std::span<const double>(own_seconds));
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    *seconds[i] = 0;
    for (std::size_t at = i; at < gathered.size(); at += seconds.size()) *seconds[i] += gathered[at];
  }
  for (double* const rate : {&all.rates.thread_patch, &all.rates.device_patch, &all.rates.batch})
    *rate /= static_cast<double>(with_devices);
  return all;
}

std::vector<std::string> offload_lines(const OffloadReport& report) {
  const offload::Counts& c = report.counts;
  std::vector<std::string> lines;
  if (c.batches == 0) {
    lines.push_back(
        fmt::format("  offloaded: nothing; {:.1f} % of the patch updates were in enclaves, which devices "
                    "take in whole batches only (offload.batch)",
                    100 * ratio(report.enclaves, report.updates, 0)));
  } else {
    lines.push_back(fmt::format(
        "  offloaded: {} batches, {:.1f} % of the volume updates; {:.1f} % of {} allocations from the cache",
        c.batches, 100 * report.share(), 100 * report.hit_rate(), report.allocations));
    constexpr double micro = 1e-6;
    lines.push_back(fmt::format(
        "  with batches in flight, threads updated leaves for {:.0f} % of the time; {:.3g} us per patch on a "
        "thread, {:.3g} us on the devices",
        100 * report.batches.share(), report.rates.thread_patch / micro, report.rates.device_patch / micro));
  }
  if (report.fallbacks > 0) {
    lines.push_back(
        fmt::format("  device memory was short: {} blocks were in pinned memory instead", report.fallbacks));
  }
  if (c.failed + c.deferred > 0) {
    lines.push_back(fmt::format(
        "  of these, {} batches failed at first and {} waited for memory: {} retried, {} split, {} patch "
        "updates on the CPU instead; {} device{} given up",
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
  list.emplace_back("gpu_memory_seconds_waited", fmt::format("{}", report.memory_waits));
  list.emplace_back("offload_batches_hidden_share", fmt::format("{}", report.batches.share()));
  list.emplace_back("seconds_per_patch_on_a_thread", fmt::format("{}", report.rates.thread_patch));
  list.emplace_back("seconds_per_patch_on_the_devices", fmt::format("{}", report.rates.device_patch));
  return list;
}

}  // namespace meander::simulation
