// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Restriction to the next coarser level in two halves. Each fine patch sums its part of every coarse volume
// where its data are local (in cache, or on its rank). The parts are combined at the coarse patch in curve
// order, so the result does not depend on the partition. If the layout has point values, a coarse volume
// takes the value of the middle fine volume, which has the same centre.

#include <span>

#include "solvers/boxes.hpp"
#include "solvers/patch_layout.hpp"

namespace meander::solvers {

// The coarse volumes to set: volume i of the box has index i + shift in the refined cell that the children
// fill.
template <int D>
struct Restriction {
  Box<D> box;
  Index<D> shift{};
};

// The volumes of the box that the child at position `child` (0 .. 2 along each axis) of the refined cell
// contributes to. An extent is 0 if there are none.
template <int D>
Box<D> share_of(const PatchLayout& layout, const Index<D>& child, const Restriction<D>& restriction);

// Size of a child's part in doubles: for each coarse volume of its share and each unknown two, for point
// values one.
template <int D>
std::size_t part_size(const PatchLayout& layout, const Index<D>& child, const Restriction<D>& restriction);

// Writes a child's part: for each coarse volume the child's first value there and the sum of differences to
// it; for point values the middle fine value.
template <int D>
void restrict_part(const PatchLayout& layout, const double* fine, const Index<D>& child,
                   const Restriction<D>& restriction, double* part);

template <int D>
struct RestrictedPart {
  const double* part = nullptr;
  Index<D> child{};
};

// Sets the coarse volumes of the box to the mean of their 3^D fine volumes, q0 + sum(q_i - q0) / 3^D, which
// is exact if all are equal; for point values to the middle fine value. The parts must be in curve order and
// cover the box.
template <int D>
void combine_parts(const PatchLayout& layout, double* coarse, std::span<const RestrictedPart<D>> parts,
                   const Restriction<D>& restriction);

// Both halves in one call.
template <int D>
struct FinePatch {
  const double* fine = nullptr;
  Index<D> child{};
};
template <int D>
void restrict_to(const PatchLayout& layout, double* coarse, std::span<const FinePatch<D>> patches,
                 const Restriction<D>& restriction);

}  // namespace meander::solvers
