// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Time steps by level: the step of a level is that of the next coarser one divided by a ratio of 1, 2 or 3.
// Levels count from the coarsest that has leaves, 0, to the finest; a level's cost is its number of leaves.
//
// A level whose ratio is 1 starts together with the next coarser one. `subcycled` levels, the finest ones,
// may have larger ratios; all levels above share the step of level 0.

#include <cstdint>
#include <span>
#include <vector>

namespace meander::tasks {

// The largest ratio that a plan chooses, and the largest to which choose_ratios() resorts if wave speeds have
// grown since.
inline constexpr int planned_ratio = 3, most_ratio = 9;

struct StepPlan {
  double dt = 0;            // of level 0
  std::vector<int> ratios;  // by level: dt of the next coarser level / dt; 1 for level 0
};

// Chooses ratios and dt for the least work a time, sum over levels of leaves * updates a step / dt, such that
// no level exceeds its limit by more than rounding. Among plans of equal work, the larger ratios of coarser
// levels win. limits: the longest stable step of each level, may be infinite; dt is infinite if all are, and 0 if one is.
StepPlan plan_steps(std::span<const double> limits, std::span<const std::int64_t> leaves, int subcycled);

// The ratios of all levels below one that takes a step dt, for the least work. limits, leaves and ratios
// begin with the next finer level. Ratios beyond planned_ratio occur if no others satisfy the limits. If
// most_ratio everywhere does not either, all are most_ratio and the limits are exceeded.
std::vector<int> choose_ratios(double dt, std::span<const double> limits,
                               std::span<const std::int64_t> leaves, int subcycled);

}  // namespace meander::tasks
