// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Restriction to the next coarser level, in two halves: each fine patch sums up its part of every coarse
// volume while it is at hand (in cache, or on its rank), and the parts are combined at the coarse patch in
// curve order. So the result does not depend on who computes what. Where the layout says that unknowns are
// point values, the middle fine volume, which has the coarse one's centre, is all there is to a coarse
// volume.

#include <span>

#include "solvers/boxes.hpp"
#include "solvers/patch_layout.hpp"

namespace meander::solvers {

// Which coarse volumes are set: volume i of the box has index i + shift in the refined cell that the children
// fill.
template <int D>
struct Restriction {
  Box<D> box;
  Index<D> shift{};
};

// The volumes of the box that the child at position `child` (0 .. 2 along each axis) of the refined cell has
// a share in. An extent is 0 where there is none.
template <int D>
Box<D> share_of(const PatchLayout& layout, const Index<D>& child, const Restriction<D>& restriction);

// Doubles that a child's part takes: two a coarse volume of its share and unknown; of point values, one.
template <int D>
std::size_t part_size(const PatchLayout& layout, const Index<D>& child, const Restriction<D>& restriction);

// Writes a child's part: for each coarse volume the child's first value there and the sum of differences to
// it; of point values, the middle fine value.
template <int D>
void restrict_part(const PatchLayout& layout, const double* fine, const Index<D>& child,
                   const Restriction<D>& restriction, double* part);

template <int D>
struct RestrictedPart {
  const double* part = nullptr;
  Index<D> child{};
};

// Sets the coarse volumes of the box to the mean of the 3^D fine ones, q0 + sum(q_i - q0) / 3^D, exact where
// all are equal; point values: to the middle one. The parts come in curve order and cover the box.
template <int D>
void combine_parts(const PatchLayout& layout, double* coarse, std::span<const RestrictedPart<D>> parts,
                   const Restriction<D>& restriction);

// Both halves at once.
template <int D>
struct FinePatch {
  const double* fine = nullptr;
  Index<D> child{};
};
template <int D>
void restrict_to(const PatchLayout& layout, double* coarse, std::span<const FinePatch<D>> patches,
                 const Restriction<D>& restriction);

}  // namespace meander::solvers
