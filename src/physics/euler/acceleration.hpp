// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The acceleration that a SphericalGravity exerts at a point, for any value type.

#include "physics/euler/gravity.hpp"
#include "solvers/math.hpp"

namespace meander::euler {

// A table's value between the entries `bin` and bin + 1.
template <class T>
MEANDER_TERM T interpolated(const double* table, const T& bin, const T& fraction) {
  const Neighbours<T> at = neighbours(table, bin);
  return fma(fraction, at.second - at.first, at.first);
}

// The acceleration over the vector from the centre, when the field was set and a time `later` after. Needs gravity.dim ==
// D and gravity.dr > 0. Copies what it needs of the field but the tables.
template <int D>
struct Pull {
  double centre[D];

  MEANDER_TERM Pull(const SphericalGravity& gravity, double later)
      : last_(gravity.bins),
        bins_per_length_(1.0 / gravity.dr),
        later_(later),
        strength_{-gravity.strength, -fma(later, gravity.strength_rate, gravity.strength)},
        total_{gravity.excess_total, fma(later, gravity.excess_rate, gravity.excess_total)},
        table_(gravity.table),
        rate_(gravity.table_rate) {
    for (int a = 0; a < D; ++a) centre[a] = gravity.centre[a];
  }

  // away[axis]: that vector.
  template <class T>
  MEANDER_TERM void at(const T* away, T& now, T& later) const {
    T square = away[0] * away[0];
    for (int a = 1; a < D; ++a) square = fma(away[a], away[a], square);
    const T r = sqrt(square), place = r * T(bins_per_length_), last(last_);
    const T bin = max(min(floor(place), last - T(1.0)), T(0.0)), fraction = place - bin;
    now = interpolated(table_, bin, fraction);
    later = fma(T(later_), interpolated(rate_, bin, fraction), now);
    const auto outside = last < place;
    if (any(outside)) {
      const T ball = D == 3 ? square * r : square;
      now = select(outside, T(total_[0]) / ball, now);
      later = select(outside, T(total_[1]) / ball, later);
    }
    now = T(strength_[0]) * now;
    later = T(strength_[1]) * later;
  }

 private:
  double last_, bins_per_length_, later_, strength_[2], total_[2];
  const double *table_, *rate_;
};

// g[axis] at x[axis], both of D values, a time `after` the field was set.
template <int D, class T>
MEANDER_TERM void acceleration_after(const SphericalGravity& gravity, double after, const T* x, T* g) {
  const Pull<D> pull(gravity, after);
  T away[D], now, later;
  for (int a = 0; a < D; ++a) away[a] = x[a] - T(pull.centre[a]);
  pull.at(away, now, later);
  for (int a = 0; a < D; ++a) g[a] = later * away[a];
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
