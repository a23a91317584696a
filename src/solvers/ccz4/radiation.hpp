// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sommerfeld's condition: far out every unknown is flat space's plus f(r - v t) / r, r being the distance
// from the domain's middle, so that dt Q = -v (d_r Q + (Q - flat) / r) (Shibata and Nakamura 1995; Alcubierre
// et al. 2003). Usable in device code.

#include "solvers/ccz4/parameters.hpp"
#include "solvers/ccz4/unknowns.hpp"

namespace meander::solvers::ccz4 {

// The speed at which an unknown leaves flat space; 0: it does not move there.
MEANDER_TERM double radiation_speed(const Parameters& p, int n) {
  const bool of_lapse = n == at::a || n == at::K || (n >= at::A && n < at::A + 3);
  const bool of_shift = (n >= at::beta && n < at::beta + 6) || (n >= at::B && n < at::B + 9);
  if (n == at::K0 || (of_shift && !p.evolves_shift)) return 0.0;
  if (of_lapse) return p.slicing == Slicing::harmonic ? 1.0 : sqrt(2.0);
  if (of_shift) return sqrt(4.0 / 3.0 * p.f);
  return n == at::Theta ? p.e : 1.0;
}

template <class T>
MEANDER_TERM void radiation_rates(const Parameters& p, const T* q, const T* gradient, const T* x, T* rate) {
  const T d[3] = {x[0] - T(p.middle[0]), x[1] - T(p.middle[1]), x[2] - T(p.middle[2])};
  const T over_r = T(1.0) / sqrt(fma(d[0], d[0], fma(d[1], d[1], d[2] * d[2])));
  for (int n = 0; n < unknowns; ++n) {
    const bool one = n == at::g || n == at::g + 3 || n == at::g + 5 || n == at::a || n == at::phi;
    T sum = q[n] - T(one ? 1.0 : 0.0);
    for (int a = 0; a < 3; ++a) sum = fma(d[a], gradient[a * unknowns + n], sum);
    rate[n] = T(-radiation_speed(p, n)) * over_r * sum;
  }
}

}  // namespace meander::solvers::ccz4
