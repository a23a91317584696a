// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Warns of states that are beyond a bound of the solver and could be mended, before they no longer can.

#include <array>
#include <optional>
#include <vector>

#include "simulation/scenario.hpp"
#include "tasks/traversal.hpp"

namespace meander::simulation {

class BoundsWatch {
 public:
  // Logs, on the root and once for each of solver.bounds() in its life, the first breach that `status` tells
  // of: quantity, value, volume, patch, level, step and time. Collective.
  void look(const StateView& view, const solvers::Solver& solver, const tasks::SweepStatus& status, int step);

 private:
  std::optional<std::vector<solvers::Bound>> bounds_;
  std::array<bool, solvers::most_bounds> told_{};
};

}  // namespace meander::simulation
