// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Prolongation of point values by tensor products of centred interpolation from a coarse slot with its halo.
// Called by prolong() and prolongation_support(), with their arguments.
//
// Along each axis a fine volume lies either at the centre of its coarse volume, whose value it takes, or a
// third of a coarse width from it. There the polynomial through the 2 r nearest coarse centres, r on either
// side, is evaluated; r is 3 (degree 5), or the halo width if that is smaller. Centred stencils amplify no
// wave. Stencils on one side of a resolution jump do (up to 6 times an axis at the jump), and fourth-order
// differences are unstable with them.

#include <algorithm>

#include "solvers/boxes.hpp"
#include "solvers/patch_layout.hpp"
#include "solvers/solver.hpp"

namespace meander::solvers {

// r: the number of coarse volumes read on either side of a fine one, and so the width of coarse halo read.
inline int interpolation_reach(const PatchLayout& layout) {
  return std::min(layout.h, 3);
}

// The halo of `coarse` must be full wherever interpolation_support() extends into it.
template <int D>
void interpolate(const Solver& solver, const PatchLayout& layout, double* fine, const double* coarse,
                 const Box<D>& box, const Index<D>& offset);

// The coarse volumes that interpolate() reads, in indices of the coarse patch. Indices outside 0 .. p - 1 are
// in its halo.
template <int D>
Box<D> interpolation_support(const PatchLayout& layout, const Box<D>& box, const Index<D>& offset);

}  // namespace meander::solvers
