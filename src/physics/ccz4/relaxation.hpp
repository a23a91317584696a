// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The relaxation rates that may depend on the place: of the Gamma driver, the ordering constraints and the
// constraints. Usable in device code.

#include "physics/ccz4/parameters.hpp"
#include "solvers/math.hpp"

namespace meander::ccz4 {

template <class T>
struct Relaxation {
  T eta, ordering, k1;
};

// rate * radius / max(radius, distance); exactly `rate` within the radius.
template <class T>
MEANDER_TERM T falling(double rate, double radius, const T& distance) {
  if (radius == 0) return T(rate);
  return T(rate) * (T(radius) / max(T(radius), distance));
}

template <class T>
MEANDER_TERM Relaxation<T> relaxation_at_distance(const Parameters& p, const T& distance) {
  return {falling(p.eta, p.eta_radius, distance), falling(p.ordering, p.ordering_radius, distance),
          falling(p.k1, p.k1_radius, distance)};
}

template <class T>
MEANDER_TERM Relaxation<T> relaxation_at(const Parameters& p, const T* x) {
  const T a = x[0] - T(p.middle[0]), b = x[1] - T(p.middle[1]), c = x[2] - T(p.middle[2]);
  return relaxation_at_distance(p, T(sqrt(fma(a, a, fma(b, b, c * c)))));
}

}  // namespace meander::ccz4
