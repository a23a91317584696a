// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The acceleration that a SphericalGravity exerts at a point, for any value type.

#include "physics/euler/gravity.hpp"
#include "solvers/math.hpp"

namespace meander::euler {

// A value of a table and its neighbour's.
template <class T>
MEANDER_TERM T interpolated(const double* table, const T& bin, const T& fraction) {
  const T below = gather(table, bin), above = gather(table + 1, bin);
  return fma(fraction, above - below, below);
}

// g[axis] at x[axis], both of D values, a time `after` the field was set. Needs gravity.dim == D and gravity.dr > 0.
template <int D, class T>
MEANDER_TERM void acceleration_after(const SphericalGravity& gravity, double after, const T* x, T* g) {
  T away[D], square(0.0);
  for (int a = 0; a < D; ++a) {
    away[a] = x[a] - T(gravity.centre[a]);
    square = fma(away[a], away[a], square);
  }
  const T r = sqrt(square);
  const T bins(static_cast<double>(gravity.bins));
  const T place = r / T(gravity.dr);
  const T bin = max(min(floor(place), bins - T(1.0)), T(0.0)), fraction = place - bin;
  T inside = interpolated(gravity.table, bin, fraction);
  double total = gravity.excess_total, strength = gravity.strength;
  if (after != 0) {
    inside = fma(T(after), interpolated(gravity.table_rate, bin, fraction), inside);
    total = fma(after, gravity.excess_rate, total);
    strength = fma(after, gravity.strength_rate, strength);
  }
  const T outside = T(total) / (D == 3 ? square * r : square);
  const T pull = T(-strength) * select(place <= bins, inside, outside);
  for (int a = 0; a < D; ++a) g[a] = pull * away[a];
}

template <int D, class T>
MEANDER_TERM void acceleration(const SphericalGravity& gravity, const T* x, T* g) {
  acceleration_after<D>(gravity, 0.0, x, g);
}

// The point whose acceleration, multiplied by `sign` for each axis, is that of x: x itself within the domain.
template <int D, class T>
MEANDER_TERM void fold(const SphericalGravity& gravity, const T* x, T* inside, T* sign) {
  using Beyond = SphericalGravity::Beyond;
  for (int a = 0; a < D; ++a) {
    const double lower = gravity.lower[a], upper = gravity.upper[a];
    inside[a] = x[a];
    sign[a] = T(1.0);
    for (int side = 0; side < 2; ++side) {
      const Beyond beyond = gravity.beyond[2 * a + side];
      if (beyond == Beyond::same) continue;
      const auto out = side == 0 ? x[a] < T(lower) : x[a] > T(upper);
      const T image = beyond == Beyond::mirrored ? T(2 * (side == 0 ? lower : upper)) - x[a]
                                                 : x[a] + T(side == 0 ? upper - lower : lower - upper);
      inside[a] = select(out, image, inside[a]);
      if (beyond == Beyond::mirrored) sign[a] = select(out, T(-1.0), sign[a]);
    }
  }
}

}  // namespace meander::euler
