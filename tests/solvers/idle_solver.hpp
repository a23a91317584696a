// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A solver for tests of what does not update: it has traits, and accepts any state.

#include <span>
#include <vector>

#include "solvers/solver.hpp"

namespace meander::solvers::test {

class IdleSolver : public Solver {
 public:
  const Traits& traits() const override { return traits_; }
  void update(std::span<const PatchTask>, const PatchLayout&, int, double, double,
              std::span<PatchStatus>) const override {}
  PatchStatus inspect(const PatchTask&, const PatchLayout&) const override { return {}; }
  bool admissible(const double*) const override { return true; }
  void reflection_signs(int, std::span<double>) const override {}
  const std::vector<Derived>& derived() const override { return derived_; }
  const void* parameters() const override { return nullptr; }

 protected:
  IdleSolver(int dim, int unknowns, Prolongation prolongation) {
    traits_.dim = dim;
    traits_.unknowns = unknowns;
    traits_.prolongation = prolongation;
  }
  Traits traits_;

 private:
  std::vector<Derived> derived_;
};

}  // namespace meander::solvers::test
