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
// two, unless a jump may end there, whose end would be extrapolated beyond the values on its far side. Two bounds keep
// a jump within its sides:
// - the slope is at most three times the difference across the border, which is not known, but extrapolated by a parabola
//   through the logarithms of the differences: exact where a jump is smeared to an error function;
// - it is zero in fronts that a limiter keeps within a few volumes: where the differences' second differences exceed a ninth of
//   the slope (smooth data near an extremum have none), and their logarithms have a curvature of log 0.6 or below (smooth
//   data have the square of a volume over their length scale; 0.75 and above is smooth).
// Linear data are not affected. Ratios are bounded, which can only reduce the slope, so that nothing overflows.
template <class V, class Difference>
MEANDER_TERM V slope_at_border(int known, const Difference& difference) {
  V d[most_differences];
  for (int m = 0; m < most_differences; ++m)
    d[m] = m < known ? difference(m) : d[m - 1] + (d[m - 1] - d[m - 2]);
  const V zero(0.0), one(1.0), three(3.0), largest(8.0), front(0.6), range(0.75 - 0.6);
  const V slope = minmod(d[0], d[1]), size = abs(slope);

  const V change[] = {d[0] - d[1], d[1] - d[2], d[2] - d[3]};
  const V variation = abs(change[0] - change[1]) + abs(change[1] - change[2]);
  const V divisor = select(abs(d[1]) > zero, d[1], one);
  const V outer = min(max(d[0] / divisor, zero), largest), inner = min(max(d[2] / divisor, zero), largest);
  const V curvature = outer * inner;
  const V in_front =
      max(three * (size - three * variation), size * min(max((curvature - front) / range, zero), one));

  const V beyond = abs(d[0]) * outer * select(inner > zero, curvature, one);
  const V bound = min(max(in_front, zero), three * beyond);
  return minmod(slope, select(slope > zero, bound, -bound));
}

// Adds the difference over a third of a coarse width if third is 1, and subtracts it if that is -1.
template <class V>
MEANDER_TERM V shifted(const V& value, int third, const V& step) {
  return third > 0 ? value + step : third < 0 ? value - step : value;
}

}  // namespace meander::solvers
