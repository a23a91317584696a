// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Fills halos beyond the domain.

#include <span>
#include <vector>

#include "mesh/boundary_condition.hpp"
#include "solvers/boxes.hpp"
#include "solvers/solver.hpp"

namespace meander::mesh {

template <int D>
class BoundaryFill {
 public:
  // Requires `given` if a boundary has the condition boundary::given.
  BoundaryFill(const solvers::Solver& solver, const solvers::PatchLayout& layout,
               const Boundaries<D>& boundaries, GivenBoundary given);

  const BoundaryCondition& condition(int face) const { return *boundaries_[static_cast<std::size_t>(face)]; }

  // Fills a box of halo volumes beyond `face` = 2 * axis + side of the patch. The values follow from up to
  // four volumes along `axis` on the patch's side of the face, with the same indices along the other axes: of
  // the interior, or of a copy of a neighbour where the box extends into halos along other axes.
  void fill(const solvers::PatchTask& patch, const solvers::Box<D>& box, int face, double t) const;
  // The values of the condition boundary::given, packed as by solvers::pack(). Reads no slot.
  void pack_given(const solvers::PatchTask& patch, const solvers::Box<D>& box, double t,
                  double* packed) const;
  // The sign of each unknown under reflection along the axis.
  std::span<const double> signs(int axis) const { return reflection_[axis]; }

 private:
  void fill_given(const solvers::PatchTask& patch, const solvers::Box<D>& box, double t) const;

  solvers::PatchLayout layout_;
  Boundaries<D> boundaries_;
  GivenBoundary given_;
  std::vector<double> reflection_[D];  // the sign of each unknown under reflection along the axis
};

}  // namespace meander::mesh
