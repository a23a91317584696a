// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The external acceleration as fields of patches: by formulas of position, or uniform or of a mass.

#include <string>
#include <vector>

#include "io/formula.hpp"
#include "physics/euler/gravity.hpp"
#include "simulation/equation.hpp"
#include "solvers/solver.hpp"

namespace meander::euler {

class ExternalAcceleration {
 public:
  // Of gravity.external, which has no fields.
  ExternalAcceleration(int dim, const FixedGravity& gravity);
  // By a formula for each axis; names: theirs in messages. gravity: the domain and what is beyond it. Throws InputError for
  // invalid formulas.
  ExternalAcceleration(const FixedGravity& gravity, const io::FormulaNames& known,
                       const std::vector<std::string>& names, const std::vector<io::FormulaText>& formulas);

  // As Equation::set_fields(): values at the centres of volumes.
  double set(const solvers::PatchTask& patch, const solvers::PatchLayout& layout) const;
  // Whether the field at some points is the mirror image of that beyond a plane normal to the axis.
  bool is_symmetric(int axis, double plane) const;
  // Checks some volumes of this width, so that most mistakes are told before a run starts. Throws InputError.
  void check_lattice(double dx) const;

 private:
  // At a point of the domain, or beyond a boundary that continues the field.
  template <int D>
  void at(const double* x, double* g) const;
  template <int D>
  double set(const solvers::PatchTask& patch, const solvers::PatchLayout& layout) const;

  int dim_;
  FixedGravity gravity_;
  bool by_formulas_ = false;
  io::FormulaList formulas_;
};

}  // namespace meander::euler
