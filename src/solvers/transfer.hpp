// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Moving data between patches of one slot layout: copy on one level, prolong to the next finer one
// (restriction.hpp leads to the next coarser one). Both read interiors only and write a box of the
// destination, so that every halo of a mesh can be filled at once, in any order.
//
// Between levels every coarse volume covers exactly 3^D fine ones, whatever p is, and may straddle fine
// patches where p is no multiple of 3. A fine index f counts volumes from the lower corner of the coarse
// *cell*, so that fine volume f lies in coarse volume floor(f / 3) of that cell.

#include "solvers/boxes.hpp"
#include "solvers/patch_layout.hpp"
#include "solvers/solver.hpp"

namespace meander::solvers {

// destination[i] = source[i + shift] for all volumes i of the box and all unknowns.
template <int D>
void copy(const PatchLayout& layout, double* destination, const double* source, const Box<D>& box,
          const Index<D>& shift);

// Fills fine volumes from one coarse patch. Fine volume i of the box has fine index i + offset in the coarse
// cell. constant: the coarse value. limited_linear: minmod slopes along each axis, from the coarse interior
// only: next to the patch's border the two inner differences are taken, so that linear data are reproduced
// there too. A coarse volume whose corner values are inadmissible is prolonged by its constant. Conservative:
// the mean over the fine volumes of a coarse one is its value, to round-off.
template <int D>
void prolong(const Solver& solver, const PatchLayout& layout, double* fine, const double* coarse,
             const Box<D>& box, const Index<D>& offset);

}  // namespace meander::solvers
