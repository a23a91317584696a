// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The Euler equations with any halo and prolongation, for tests of data movement.

#include <memory>
#include <span>
#include <vector>

#include "physics/euler/solver.hpp"
#include "physics/euler/terms.hpp"
#include "solvers/solver.hpp"

namespace meander::solvers::test {

class GasSolver final : public Solver {
 public:
  GasSolver(int dim, int halo, HaloShape shape, Prolongation prolongation, bool floors = true,
            bool dual_energy = false)
      : solver_(euler::make_solver(dim, parameters_of(floors, dual_energy))), traits_(solver_->traits()) {
    traits_.halo = halo;
    traits_.halo_shape = shape;
    traits_.prolongation = prolongation;
  }
  // The terms of a solver with these floors.
  template <int D>
  static euler::Terms<D> terms(bool floors = true) {
    return euler::Terms<D>(parameters_of(floors, false));
  }

  const Traits& traits() const override { return traits_; }
  void update(std::span<const PatchTask>, const PatchLayout&, int, double, double,
              std::span<PatchStatus>) const override {}
  PatchStatus inspect(const PatchTask& task, const PatchLayout& layout) const override {
    return solver_->inspect(task, layout);
  }
  PatchStatus enforce_floors(const PatchTask& task, const PatchLayout& layout) const override {
    return solver_->enforce_floors(task, layout);
  }
  bool admissible(const double* unknowns) const override { return solver_->admissible(unknowns); }
  bool continues(const double* own, const double* const* steps, const double* spread) const override {
    return solver_->continues(own, steps, spread);
  }
  bool complete_prolonged(const double* coarse, double* unknowns) const override {
    return solver_->complete_prolonged(coarse, unknowns);
  }
  void complete(double* unknowns) const override { solver_->complete(unknowns); }
  void reflection_signs(int axis, std::span<double> signs) const override {
    solver_->reflection_signs(axis, signs);
  }
  const std::vector<Derived>& derived() const override { return solver_->derived(); }
  const void* parameters() const override { return solver_->parameters(); }

 private:
  static euler::Parameters parameters_of(bool floors, bool dual_energy) {
    euler::Parameters parameters{.gamma = 5.0 / 3, .dual_energy = dual_energy};
    if (floors) {
      parameters.density_floor = 0.3;
      parameters.pressure_floor = 0.2;
    }
    return parameters;
  }

  std::unique_ptr<Solver> solver_;
  Traits traits_;
};

inline PatchLayout layout_of(const Solver& solver, int p) {
  return solver.traits().layout(p);
}

}  // namespace meander::solvers::test
