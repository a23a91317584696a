// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Prolongation to the next finer level from one coarse patch, into a fine halo or a new leaf. For a halo, means
// are prolonged from the patch's interior alone, so halos may be filled in any order; for a new leaf, also from its
// halo across faces, which must be full. Point values are prolonged from the whole slot, whose halo must be
// full wherever prolongation_support() extends into it.
//
// Every coarse volume contains exactly 3^D fine ones, for any p. A fine index f counts volumes from the lower
// corner of the coarse *cell*: fine volume f lies in coarse volume floor(f / 3).

#include "solvers/boxes.hpp"
#include "solvers/limited_slope.hpp"
#include "solvers/patch_layout.hpp"
#include "solvers/solver.hpp"

namespace meander::solvers {

// Fills the fine volumes of the box. Volume i has fine index i + offset in the coarse cell. By the solver's
// traits:
// - constant: the coarse value.
// - limited_linear: minmod slopes along each axis. They create no new extrema: a fine value is a convex
//   combination of the coarse value and its neighbours across faces, since it lies a third of a width from the centre
//   along at most three axes. For halos, at the border of the coarse patch, slopes follow from the next differences
//   inwards (limited_slope.hpp): linear data are reproduced there, too, and jumps are not extrapolated. All fine
//   patches that need a value get the same one: on this rests conservation between them. A coarse volume whose
//   corner values may not be used (Solver::continues) is prolonged by its constant.
//   Conservative: the mean over the fine volumes of a coarse one is its value, to round-off; but for an unknown that is
//   redundant there (pde.hpp).
// - centred: interpolation.hpp. Exact if all values are equal. A fine volume that would be inadmissible takes
//   the coarse value.
template <int D>
void prolong(const Solver& solver, const PatchLayout& layout, double* fine, const double* coarse,
             const Box<D>& box, const Index<D>& offset);

// Whether all 2^dim states satisfy a condition that differ from `own` by a step along each axis, up or down: those of the outermost
// fine volumes.
template <class Condition>
bool corners_satisfy(int dim, int unknowns, const double* own, const double* const* steps,
                     const Condition& condition) {
  double state[most_unknowns];
  for (int corner = 0; corner < 1 << dim; ++corner) {
    for (int n = 0; n < unknowns; ++n) {
      state[n] = own[n];
      for (int a = 0; a < dim; ++a) state[n] = shifted(state[n], (corner >> a) & 1 ? 1 : -1, steps[a][n]);
    }
    if (!condition(state)) return false;
  }
  return true;
}

// A box that contains the coarse volumes that prolong() reads for a box: the data that another rank must
// send. For point values and new leaves it may extend into the coarse halo.
template <int D>
Box<D> prolongation_support(const PatchLayout& layout, const Box<D>& box, const Index<D>& offset);

// For carried rows (PatchLayout). Sets the halo of one layer of all unknowns, by linear continuation of the interior along
// each axis. p >= 2.
template <int D>
void continue_linearly(const PatchLayout& layout, double* q);
// Sets the interior of the child at position `child` (0 .. 2 along each axis) to the linear interpolation of the coarse
// values at the corners of the square or cube of centres around each fine one. Reads the coarse halo of one layer.
template <int D>
void prolong_linearly(const PatchLayout& layout, double* fine, const double* coarse, const Index<D>& child);

}  // namespace meander::solvers
