// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Figures of local time steps, for `meander check`, the summary and the history.

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mesh/step_path.hpp"
#include "parallel/communicator.hpp"
#include "simulation/report/figures.hpp"

namespace meander::simulation {

// Equal on all ranks. Counts are those since the start or restart, unless noted.
struct LocalStepsReport {
  int coarsest = 0;                 // level with leaves
  std::vector<int> ratios;          // of all levels below it, as planned for the last step; 1: new levels
  std::vector<std::int64_t> steps;  // of each level of the tree
  // Choices of ratios beyond 3, because wave speeds grew within a step; including the run before a restart.
  std::int64_t large_ratios = 0;
  // Updates of leaves of each level of the tree; including the run before a restart.
  std::vector<std::int64_t> level_updates;
  std::int64_t updates = 0;  // of leaves
  // Of patches below refined cells (mesh/cut_tree.hpp), which `updates` does not count.
  std::int64_t shadow_volume_updates = 0;
  // Updates if all levels took as many steps as the finest one.
  std::int64_t global_updates = 0;
  // Whether updates of coarse levels wait until finer levels have substeps to fill (tasks/level_tasks.hpp).
  bool has_enclaves = false;

  double gain() const {
    return updates > 0 ? static_cast<double>(global_updates) / static_cast<double>(updates) : 1.0;
  }
};

// The steps of the ratios.
mesh::LevelSteps level_steps(const LocalStepsReport& report);

// How evenly a partition divides a step of the coarsest level among all threads of all ranks, the workers. In
// updates of leaves that one worker does one after the other.
struct StepPath {
  double even = 0;  // if no worker ever waited
  // The critical path (mesh/step_path.hpp). With enclaves: in a step of each level, a rank updates its leaves of this
  // level and, as often as they step, of finer ones; the rank and level with the most for each thread determine the
  // time. Without: levels that begin a step together are updated together, so the rank with the most of their leaves
  // for each of its threads determines the time of each tick (tasks::LevelClock).
  std::int64_t longest = 0;

  // The part of the ideal gain that the partition allows.
  double share() const { return longest > 0 ? even / static_cast<double>(longest) : 1.0; }
};
// own_levels: the levels of this rank's leaves. Collective.
StepPath step_path(const LocalStepsReport& report, std::span<const int> own_levels, int threads,
                   const parallel::Communicator& communicator);

// "local time steps: levels 2 to 4, ratios 3, 3; 2.05 times fewer updates than with global steps"
std::string local_steps_line(const LocalStepsReport& report);
// "a step: at least 40 leaf updates in succession by this partition, 36.5 if 2 workers never waited: 91 % ..."
std::string step_path_line(const StepPath& path);
std::vector<Figure> figures_of(const LocalStepsReport& report, const StepPath& path);
// Columns of history.csv for the levels that leaves may have, and their values.
std::vector<std::pair<std::string, double>> local_steps_columns(const LocalStepsReport& report, int min_level,
                                                                int max_level);

}  // namespace meander::simulation
