// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The acceleration that a SphericalGravity exerts at a point, for any value type.

#include "physics/euler/gravity.hpp"
#include "solvers/math.hpp"

namespace meander::euler {

// g[axis] at x[axis], both of D values. Needs gravity.dim == D and gravity.dr > 0.
template <int D, class T>
MEANDER_TERM void acceleration(const SphericalGravity& gravity, const T* x, T* g) {
  T away[D], square(0.0);
  for (int a = 0; a < D; ++a) {
    away[a] = x[a] - T(gravity.centre[a]);
    square = fma(away[a], away[a], square);
  }
  const T r = sqrt(square);
  const T bins(static_cast<double>(gravity.bins));
  const T place = r / T(gravity.dr);
  const T bin = max(min(floor(place), bins - T(1.0)), T(0.0));
  const T below = gather(gravity.table, bin);
  const T above = gather(gravity.table + 1, bin);
  const T inside = fma(place - bin, above - below, below);
  const T outside = T(gravity.excess_total) / (D == 3 ? square * r : square);
  const T pull = T(-gravity.strength) * select(place <= bins, inside, outside);
  for (int a = 0; a < D; ++a) g[a] = pull * away[a];
}

}  // namespace meander::euler
