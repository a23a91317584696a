// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The largest wave speeds of CCZ4 along the axes (Dumbser et al. 2018). Usable in device code.

#include "physics/ccz4/gauge.hpp"
#include "physics/ccz4/metric.hpp"

namespace meander::ccz4 {

// Speeds relative to -beta^n are +- u times: a phi, a e phi, sqrt(a^2 g) phi, and with an evolving shift
// sqrt(4 f / 3), sqrt(f), a sqrt(mu / 2), a sqrt(mu / 4); u = sqrt(g~^nn).
template <class T>
MEANDER_TERM void wave_speeds(const Parameters& parameters, const T* q, T* speed) {
  const Fields<const T> x{q};
  Symmetric<T> inverse;
  const T volume = T(1.0) / determinant(x, inverse);
  T fastest = x.phi() * max(T(parameters.e > 1 ? parameters.e : 1.0) * x.a(),
                            sqrt(slicing_speed(x.a(), parameters.slicing)));
  if (parameters.evolves_shift) {
    fastest = max(fastest, max(T(sqrt(4.0 / 3.0 * parameters.f)), T(sqrt(0.5 * parameters.mu)) * x.a()));
  }
  MEANDER_UNROLL
  for (int i = 0; i < 3; ++i) speed[i] = fma(fastest, sqrt(inverse(i, i) * volume), abs(x.beta(i)));
}

}  // namespace meander::ccz4
