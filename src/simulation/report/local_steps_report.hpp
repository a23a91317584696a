// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Figures of local time steps, for `meander check` and the summary.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace meander::simulation {

// Equal on all ranks. Counts are those since the start or restart.
struct LocalStepsReport {
  int coarsest = 0;                 // level with leaves
  std::vector<int> ratios;          // of the levels below it, as planned for the last step
  std::vector<std::int64_t> steps;  // of each level of the tree
  std::int64_t large_ratios = 0;    // choices of ratios beyond 3, because wave speeds grew within a step
  std::int64_t updates = 0;         // of leaves
  // Updates if all levels took as many steps as the finest one.
  std::int64_t global_updates = 0;

  double gain() const {
    return updates > 0 ? static_cast<double>(global_updates) / static_cast<double>(updates) : 1.0;
  }
};

// "ratios 3, 3 of levels 2 to 4; 2.05 times fewer updates than with global steps"
std::string local_steps_line(const LocalStepsReport& report);
// Keys and values of summary.json.
std::vector<std::pair<std::string, std::string>> local_steps_figures(const LocalStepsReport& report);

}  // namespace meander::simulation
