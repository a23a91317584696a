// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An external acceleration by formulas of position, one for each axis.

#include <string>
#include <vector>

#include "io/formula.hpp"
#include "physics/euler/gravity.hpp"
#include "simulation/equation.hpp"
#include "solvers/solver.hpp"

namespace meander::euler {

class AccelerationFormulas {
 public:
  // names: of the formulas in messages. gravity: domain, and fields beyond it. Throws InputError for invalid formulas.
  AccelerationFormulas(const io::FormulaNames& known, const std::vector<std::string>& names,
                       const std::vector<io::FormulaText>& formulas, const FixedGravity& gravity);

  // As Equation::set_fields(): values at the centres of volumes.
  double set(const solvers::PatchTask& patch, const solvers::PatchLayout& layout) const;
  // Checks some volumes of this width, so that most mistakes are told before a run starts. Throws InputError.
  void check_lattice(double dx) const;

 private:
  int dim() const { return static_cast<int>(axes_); }
  // At a point, which may lie in a halo beyond the domain.
  void at(const double* x, double* g) const;
  template <int D>
  double set(const solvers::PatchTask& patch, const solvers::PatchLayout& layout) const;

  std::size_t axes_;
  io::FormulaList formulas_;
  FixedGravity gravity_;
};

}  // namespace meander::euler
