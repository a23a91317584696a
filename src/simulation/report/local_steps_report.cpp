// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/report/local_steps_report.hpp"

#include <fmt/format.h>

#include <numeric>

namespace meander::simulation {

mesh::LevelSteps level_steps(const LocalStepsReport& report) {
  mesh::LevelSteps levels{report.coarsest, {1}, report.has_enclaves};
  for (const int ratio : report.ratios) levels.steps.push_back(levels.steps.back() * ratio);
  return levels;
}

StepPath step_path(const LocalStepsReport& report, std::span<const int> own_levels, int threads,
                   const parallel::Communicator& communicator) {
  const mesh::LevelSteps levels = level_steps(report);
  const auto leaves = levels.count(own_levels);
  const std::int64_t updates =
      std::inner_product(leaves.begin(), leaves.end(), levels.steps.begin(), std::int64_t{0});
  const auto workers = static_cast<double>(communicator.sum(std::int64_t{threads}));
  return {static_cast<double>(communicator.sum(updates)) / workers,
          mesh::critical_path(levels, leaves, threads, communicator)};
}

std::string step_path_line(const StepPath& path) {
  return fmt::format(
      "partition: a step takes at least the time of {} leaf updates in succession, {:.4g} if no thread ever "
      "waited: {:.0f} % of this gain",
      path.longest, path.even, 100 * path.share());
}

std::vector<std::pair<std::string, double>> local_steps_columns(const LocalStepsReport& report, int min_level,
                                                                int max_level) {
  std::vector<std::pair<std::string, double>> columns;
  for (int level = min_level; level <= max_level; ++level) {
    const auto of = static_cast<std::size_t>(level);
    const std::int64_t updates = of < report.level_updates.size() ? report.level_updates[of] : 0;
    columns.emplace_back(fmt::format("updates_level_{}", level), static_cast<double>(updates));
  }
  for (int level = min_level + 1; level <= max_level; ++level) {
    const int finer = level - report.coarsest - 1;
    const bool has_ratio = finer >= 0 && finer < static_cast<int>(report.ratios.size());
    columns.emplace_back(fmt::format("ratio_level_{}", level),
                         has_ratio ? report.ratios[static_cast<std::size_t>(finer)] : 0);
  }
  columns.emplace_back("ratios_above_3", static_cast<double>(report.large_ratios));
  return columns;
}

std::string local_steps_line(const LocalStepsReport& report) {
  const auto finest = report.coarsest + static_cast<int>(report.ratios.size());
  std::string text = report.ratios.empty() ? std::string("local time steps: one level")
                                           : fmt::format("local time steps: levels {} to {}, ratios {}",
                                                         report.coarsest, finest, join(report.ratios, ", "));
  text += fmt::format("; {:.3g} times fewer updates than with global steps", report.gain());
  if (report.large_ratios > 0)
    text += fmt::format("; {} ratios above 3, because wave speeds grew within a step", report.large_ratios);
  return text;
}

std::vector<Figure> figures_of(const LocalStepsReport& report, const StepPath& path) {
  return {{"ratios", report.ratios},
          {"ratios_above_3", report.large_ratios},
          {"steps_per_level", report.steps},
          {"shadow_volume_updates", report.shadow_volume_updates},
          {"leaf_updates", report.updates},
          {"leaf_updates_with_global_steps", report.global_updates},
          {"leaf_updates_of_critical_path", path.longest},
          {"leaf_updates_per_worker_and_step", path.even},
          {"share_of_ideal_by_partition", Json{fmt::format("{:.4f}", path.share())}}};
}

}  // namespace meander::simulation
