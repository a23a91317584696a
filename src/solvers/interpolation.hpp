// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Prolongation of point values: tensor products of quartic interpolation, from one coarse patch's interior.
// Called by prolong() and prolongation_support(), whose arguments these are.

#include "solvers/boxes.hpp"
#include "solvers/patch_layout.hpp"
#include "solvers/solver.hpp"

namespace meander::solvers {

template <int D>
void interpolate(const Solver& solver, const PatchLayout& layout, double* fine, const double* coarse,
                 const Box<D>& box, const Index<D>& offset);

// The coarse volumes that interpolate() reads, exactly.
template <int D>
Box<D> interpolation_support(const PatchLayout& layout, const Box<D>& box, const Index<D>& offset);

}  // namespace meander::solvers
