// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Warns of states that exceeded a bound of the solver and were corrected, before states occur that cannot be
// corrected.

#include <array>
#include <optional>
#include <vector>

#include "simulation/scenario.hpp"
#include "solvers/status.hpp"

namespace meander::simulation {

class BoundsWatch {
 public:
  // Logs on the root the first breach in `status` of each of solver.bounds(), once in the lifetime of this
  // object: quantity, value, volume, patch, level, step and time. Collective.
  void look(const StateView& view, const solvers::Solver& solver, const solvers::Status& status, int step);

 private:
  std::optional<std::vector<solvers::Bound>> bounds_;
  std::array<bool, solvers::most_bounds> told_{};
};

}  // namespace meander::simulation
