// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What local time steps need of a solver with several stages, in addition to Solver. A solver that supports
// them has dense output (dense_output.hpp) and derives from this class as well.

#include "solvers/boxes.hpp"
#include "solvers/dense_output.hpp"
#include "solvers/patch_layout.hpp"
#include "solvers/solver.hpp"

namespace meander::solvers {

class LocalStepSolver {
 public:
  virtual ~LocalStepSolver() = default;

  // Enforces constraints and floors in the volumes of a box of a slot, as update() does after each stage.
  virtual void enforce(const PatchLayout& layout, double* slot, const Box<3>& box) const = 0;

  // As Solver::step_limit(), for one patch and at any time: the rates that bound dt may depend on the place.
  virtual double step_limit_of(const PatchTask& task, const PatchLayout& layout) const = 0;
};

// Whether a solver of point values has local time steps.
inline bool has_staged_local_steps(const Solver& solver) {
  return has_dense_output(solver.traits()) && dynamic_cast<const LocalStepSolver*>(&solver) != nullptr;
}

// A box of a patch of any dimension, for the interface above.
template <int D>
Box<3> in_three_dimensions(const Box<D>& box) {
  Box<3> result{{0, 0, 0}, {1, 1, 1}};
  for (std::size_t a = 0; a < D; ++a) {
    result.lower[a] = box.lower[a];
    result.extent[a] = box.extent[a];
  }
  return result;
}

}  // namespace meander::solvers
