// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/report/resident_report.hpp"

#include <fmt/format.h>

#include <array>
#include <sstream>
#include <string_view>

#include "simulation/report/units.hpp"

namespace meander::simulation {
namespace {

template <class Part>
double per_unit(Part part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::array<std::int64_t*, 12> counts_of(ResidentReport& report) {
  return {&report.devices,
          &report.plain_steps,
          &report.launches,
          &report.stages,
          &report.steps,
          &report.bytes_in,
          &report.bytes_out,
          &report.regrids,
          &report.device_bytes,
          &report.peak_device_bytes,
          &report.regrid_step_launches,
          &report.regrid_step_stages};
}

// The sums of all ranks by reason. Collective.
std::map<std::string, std::int64_t> sum_by_reason(const std::map<std::string, std::int64_t>& own,
                                                  const parallel::Communicator& communicator) {
  std::string text;
  for (const auto& [reason, count] : own) text += fmt::format("{}\t{}\n", reason, count);
  const std::vector<char> all = communicator.all_gather<char>(std::span<const char>(text));
  std::map<std::string, std::int64_t> sums;
  std::istringstream lines(std::string(all.begin(), all.end()));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.find('\t');
    sums[line.substr(0, tab)] += std::stoll(line.substr(tab + 1));
  }
  return sums;
}

}  // namespace

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

double ResidentReport::launches_per_stage() const {
  return stages > 0 ? per_unit(launches, stages) : per_unit(regrid_step_launches, regrid_step_stages);
}

double ResidentReport::host_seconds_per_step() const {
  return per_unit(host_seconds, plain_steps);
}

// All ranks make the same steps.
double ResidentReport::bytes_in_per_step() const {
  return per_unit(bytes_in * devices, steps);
}

double ResidentReport::bytes_out_per_step() const {
  return per_unit(bytes_out * devices, steps);
}

double ResidentReport::seconds_per_regrid() const {
  return per_unit(regrid_seconds, regrids);
}

std::int64_t ResidentReport::times_brought_home() const {
  std::int64_t times = 0;
  for (const auto& [reason, count] : brought_home) times += count;
  return times;
}

std::optional<ResidentReport> sum_over_ranks(const std::optional<ResidentReport>& own,
                                             const parallel::Communicator& communicator) {
  if (communicator.sum(std::int64_t{own.has_value()}) == 0) return std::nullopt;
  ResidentReport all = own.value_or(ResidentReport{});
  const auto counts = counts_of(all);
  std::vector<std::int64_t> sums;
  for (const std::int64_t* count : counts) sums.push_back(*count);
  communicator.sum(std::span<std::int64_t>(sums));
  for (std::size_t i = 0; i < sums.size(); ++i) *counts[i] = sums[i];
  const double own_seconds[] = {all.host_seconds, all.regrid_seconds};
  const auto seconds = communicator.all_gather<double>(std::span<const double>(own_seconds));
  all.host_seconds = all.regrid_seconds = 0;
  for (std::size_t i = 0; i < seconds.size(); i += 2) {
    all.host_seconds += seconds[i];
    all.regrid_seconds += seconds[i + 1];
  }
  all.brought_home = sum_by_reason(all.brought_home, communicator);
  return all;
}

std::vector<std::string> resident_lines(const ResidentReport& report) {
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
                              per_unit(report.regrids, report.devices), report.seconds_per_regrid() / milli,
                              report.times_brought_home(), reasons));
  return lines;
}

std::vector<std::pair<std::string, std::string>> resident_figures(const ResidentReport& report) {
  std::string reasons;
  for (const auto& [reason, count] : report.brought_home)
    reasons += fmt::format("{}\"{}\": {}", reasons.empty() ? "" : ", ", reason, count);
  return {{"offload_devices", fmt::format("{}", report.devices)},
          {"device_launches_per_stage", fmt::format("{}", report.launches_per_stage())},
          {"device_host_microseconds_per_step", fmt::format("{}", report.host_seconds_per_step() / micro)},
          {"device_bytes_in_per_step", fmt::format("{}", report.bytes_in_per_step())},
          {"device_bytes_out_per_step", fmt::format("{}", report.bytes_out_per_step())},
          {"device_regrids", fmt::format("{}", per_unit(report.regrids, report.devices))},
          {"device_seconds_per_regrid", fmt::format("{}", report.seconds_per_regrid())},
          {"patches_brought_home", fmt::format("{}", report.times_brought_home())},
          {"patches_brought_home_for", fmt::format("{{{}}}", reasons)},
          {"gpu_memory_bytes", fmt::format("{}", report.device_bytes)},
          {"gpu_memory_peak_bytes", fmt::format("{}", report.peak_device_bytes)}};
}

}  // namespace meander::simulation
