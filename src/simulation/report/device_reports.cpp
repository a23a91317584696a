// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/report/device_reports.hpp"

#include <fmt/format.h>

namespace meander::simulation {
namespace {

// Nothing if no rank has a report.
template <class Report>
std::optional<Report> merged(const std::optional<Report>& own, const parallel::Communicator& communicator) {
  if (!communicator.any(own.has_value())) return std::nullopt;
  Report all = own.value_or(Report{});
  merge_over_ranks(figures_of(all), communicator);
  return all;
}

}  // namespace

std::vector<Figure> figures_of(OffloadReport& report) {
  offload::Counts& c = report.counts;
  return {{"offload_devices", &report.devices, Merge::sum},
          {"offload_batches", &c.batches, Merge::sum},
          {"offload_patch_updates", &c.patches, Merge::sum},
          {"offload_failed_batches", &c.failed, Merge::sum},
          {"offload_deferred_batches", &c.deferred, Merge::sum},
          {"offload_retried_batches", &c.retried, Merge::sum},
          {"offload_split_batches", &c.split, Merge::sum},
          {"offload_fallback_patch_updates", &c.on_cpu, Merge::sum},
          {"offload_devices_given_up", &c.given_up, Merge::sum},
          {"patch_updates", &report.updates, Merge::sum},
          {"enclave_patch_updates", &report.enclaves, Merge::sum},
          {"gpu_memory_allocations", &report.allocations, Merge::sum},
          {"gpu_memory_cache_hits", &report.cache_hits, Merge::sum},
          {"gpu_memory_fallbacks", &report.fallbacks, Merge::sum},
          {"gpu_memory_evictions", &report.evictions, Merge::sum},
          {"gpu_memory_allocations_while_busy", &report.while_busy, Merge::sum},
          {"gpu_memory_bytes", &report.device_bytes, Merge::sum},
          {"gpu_memory_peak_bytes", &report.peak_device_bytes, Merge::sum},
          {nullptr, &report.batches.under_way, Merge::sum},
          {nullptr, &report.batches.hidden, Merge::sum},
          {nullptr, &report.rates.batch, Merge::sum},
          {"offload_share_of_volumes", report.share()},
          {"gpu_memory_hit_rate", report.hit_rate()},
          {"gpu_memory_seconds_waited", &report.memory_waits, Merge::sum},
          {"offload_batches_hidden_share", report.batches.share()},
          {"seconds_per_patch_on_a_thread", &report.rates.thread_patch, Merge::sum},
          {"seconds_per_patch_on_the_devices", &report.rates.device_patch, Merge::sum}};
}

std::optional<OffloadReport> sum_over_ranks(const std::optional<OffloadReport>& own,
                                            const parallel::Communicator& communicator) {
  const auto ranks = static_cast<double>(communicator.sum(std::int64_t{own.has_value()}));
  auto all = merged(own, communicator);
  if (all) {
    for (double* const rate : {&all->rates.thread_patch, &all->rates.device_patch, &all->rates.batch})
      *rate /= ranks;
  }
  return all;
}

std::vector<std::string> lines_of(const OffloadReport& report) {
  const offload::Counts& c = report.counts;
  std::vector<std::string> lines;
  if (c.batches == 0 && c.failed > 0) {
    lines.push_back("  offloaded: nothing; every batch failed");
  } else if (c.batches == 0) {
    lines.push_back(
        fmt::format("  offloaded: nothing; {:.1f} % of the patch updates were in enclaves, which devices "
                    "take in whole batches only (offload.batch)",
                    100 * quotient(report.enclaves, report.updates)));
  } else {
    lines.push_back(fmt::format(
        "  offloaded: {} batches, {:.1f} % of the volume updates; {:.1f} % of {} allocations from the cache",
        c.batches, 100 * report.share(), 100 * report.hit_rate(), report.allocations));
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
        "  {} batches failed at first and {} waited for memory: {} retried, {} split, {} patch "
        "updates on the CPU instead; {} device{} given up",
        c.failed, c.deferred, c.retried, c.split, c.on_cpu, c.given_up, c.given_up == 1 ? "" : "s"));
  }
  return lines;
}

void ResidentReport::add_step(const StepCounts& counts, double seconds, bool with_regrid) {
  const auto& [before, swept, after] = counts;
  ++steps;
  regrid_seconds += swept.moved - before.moved;
  if (with_regrid) {
    ++regrids;
    regrid_step_launches += swept.launches - before.launches;
    regrid_step_stages += swept.stages - before.stages;
    return;
  }
  ++plain_steps;
  launches += after.launches - before.launches;
  stages += after.stages - before.stages;
  host_seconds += seconds - (after.waited - before.waited) - (after.moved - before.moved);
}

std::int64_t ResidentReport::times_brought_home() const {
  std::int64_t times = 0;
  for (const auto& [reason, count] : brought_home) times += count;
  return times;
}

std::vector<Figure> figures_of(ResidentReport& report) {
  std::vector<Figure> figures = {
      {"offload_devices", &report.devices, Merge::sum},
      {"device_launches_per_stage", report.launches_per_stage()},
      {"device_host_microseconds_per_step", report.host_seconds_per_step() / micro},
      {"device_bytes_in_per_step", report.bytes_in_per_step()},
      {"device_bytes_out_per_step", report.bytes_out_per_step()},
      {"device_regrids", quotient(report.regrids, report.devices)},
      {"device_seconds_per_regrid", report.seconds_per_regrid()},
      {"device_buffers_not_page_locked", &report.not_page_locked, Merge::sum},
      {"device_messages_in_place", &report.messages_in_place, Merge::sum},
      {"patches_brought_home", report.times_brought_home()},
      {"patches_brought_home_for", &report.brought_home, Merge::sum},
      {"gpu_memory_bytes", &report.device_bytes, Merge::sum},
      {"gpu_memory_peak_bytes", &report.peak_device_bytes, Merge::sum},
      {nullptr, &report.host_seconds, Merge::sum},
      {nullptr, &report.regrid_seconds, Merge::sum}};
  for (std::int64_t* const count :
       {&report.plain_steps, &report.launches, &report.stages, &report.regrid_step_launches,
        &report.regrid_step_stages, &report.steps, &report.bytes_in, &report.bytes_out, &report.regrids})
    figures.push_back({nullptr, count, Merge::sum});
  return figures;
}

std::optional<ResidentReport> sum_over_ranks(const std::optional<ResidentReport>& own,
                                             const parallel::Communicator& communicator) {
  return merged(own, communicator);
}

std::vector<std::string> lines_of(const ResidentReport& report) {
  std::vector<std::string> lines;
  lines.push_back(fmt::format(
      "  patches lived on {} device{}: {:.1f} launches per stage, {:.3g} us of the host per step; {:.3g} MB "
      "in and {:.3g} MB out per step over the link",
      report.devices, report.devices == 1 ? "" : "s", report.launches_per_stage(),
      report.host_seconds_per_step() / micro, report.bytes_in_per_step() / mega,
      report.bytes_out_per_step() / mega));
  std::string reasons;
  for (const auto& [reason, count] : report.brought_home)
    reasons += fmt::format("{}{} {}", reasons.empty() ? ": " : ", ", reason, count);
  lines.push_back(fmt::format("  {} regrids, {:.3g} ms each; patches were brought home {} times{}",
                              quotient(report.regrids, report.devices), report.seconds_per_regrid() / milli,
                              report.times_brought_home(), reasons));
  if (report.messages_in_place > 0) lines.emplace_back("  MPI accessed messages in the memory of devices");
  if (report.not_page_locked > 0) {
    lines.push_back(
        fmt::format("  page-locked memory was short: {} buffers were ordinary memory instead, whose copies "
                    "are much slower",
                    report.not_page_locked));
  }
  return lines;
}

}  // namespace meander::simulation
