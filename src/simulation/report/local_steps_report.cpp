// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/report/local_steps_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace meander::simulation {

std::string local_steps_line(const LocalStepsReport& report) {
  const auto finest = report.coarsest + static_cast<int>(report.ratios.size());
  std::string text = report.ratios.empty()
                         ? std::string("local time steps: one level")
                         : fmt::format("local time steps: levels {} to {}, ratios {}", report.coarsest,
                                       finest, fmt::join(report.ratios, ", "));
  text += fmt::format("; {:.3g} times fewer updates than with global steps", report.gain());
  if (report.large_ratios > 0)
    text += fmt::format("; {} ratios above 3, because wave speeds grew within a step", report.large_ratios);
  return text;
}

std::vector<std::pair<std::string, std::string>> local_steps_figures(const LocalStepsReport& report) {
  return {{"ratios", fmt::format("[{}]", fmt::join(report.ratios, ", "))},
          {"ratios_above_3", fmt::format("{}", report.large_ratios)},
          {"steps_per_level", fmt::format("[{}]", fmt::join(report.steps, ", "))},
          {"leaf_updates", fmt::format("{}", report.updates)},
          {"leaf_updates_with_global_steps", fmt::format("{}", report.global_updates)}};
}

}  // namespace meander::simulation
