// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The slopes of means for prolongation (prolongation.hpp), shared by packs of unknowns on the CPU and doubles in
// device code so that both agree bitwise.

#include "solvers/limiters.hpp"

namespace meander::solvers {

// Whether a box of fine volumes belongs to the interior of the fine patch, and not to its halo.
template <int D, class Lower, class Extent>
MEANDER_TERM bool is_in_new_leaf(const Lower& lower, const Extent& extent, int p) {
  bool is_inside = true;
  for (int a = 0; a < D; ++a) {
    const auto axis = static_cast<unsigned>(a);
    is_inside = is_inside && lower[axis] >= 0 && lower[axis] + extent[axis] <= p;
  }
  return is_inside;
}

// The most differences between successive volumes, from the one at the border of a patch inwards, that a slope there reads,
// and their number in patches of p volumes.
inline constexpr int most_differences = 4;
MEANDER_TERM int differences_at_border(int p) {
  return p > most_differences ? most_differences : p - 1;
}

// The slope in the volume at the border, from difference(0), difference(1), ... up to `known` - 1: the smaller one of the first
// two. That across the border is not known, and the slope is a third of it too steep where a jump begins there that is smeared
// over a few volumes. Such a jump is recognised by how the change of the differences varies. Where that is two ninths of
// the slope, the slope begins to decrease, and it is zero from a third on: then none of the jumps in the
// tests is extrapolated beyond its two sides. Linear and quadratic data are not affected, and smooth ones hardly.
template <class V, class Difference>
MEANDER_TERM V slope_at_border(int known, const Difference& difference) {
  V d[most_differences];
  for (int m = 0; m < most_differences; ++m)
    d[m] = m < known ? difference(m) : d[m - 1] + (d[m - 1] - d[m - 2]);
  const V zero(0.0), three(3.0),
      change[] = {d[0] - d[1], d[1] - d[2], d[2] - d[3]},
      reduction = three * (abs(change[0] - change[1]) + abs(change[1] - change[2])),
      slope = MinMod::limit(d[0], d[1]);
  return MinMod::limit(slope, three * (max(slope - reduction, zero) + min(slope + reduction, zero)));
}

// Adds the difference over a third of a coarse width if third is 1, and subtracts it if that is -1.
template <class V>
MEANDER_TERM V shifted(const V& value, int third, const V& step) {
  return third > 0 ? value + step : third < 0 ? value - step : value;
}

}  // namespace meander::solvers
