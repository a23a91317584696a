// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The levels within a step of the coarsest one, with local time steps.

#include <span>

namespace meander::simulation {

// At the beginning of a step of the levels `first` and finer, which stand at the same time t. Coarser levels
// stand at the end of their step.
struct LevelTimes {
  int first = 0;
  std::span<const double>
      passed;  // by level: the fraction of its step that has passed at t; 0 from `first` on
};

}  // namespace meander::simulation
