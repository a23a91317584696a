// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Damping of the ordering constraints of the first-order form: A_k, B_k^i, D_kij and P_k relax to the
// derivatives that they represent, as in the first-order generalised harmonic system (Lindblom et al. 2006,
// gamma_2). Near a puncture, where the fields are not smooth, they diverge without it. Usable in device code.

#include "physics/ccz4/relaxation.hpp"
#include "physics/ccz4/unknowns.hpp"

namespace meander::ccz4 {

// Adds to the rates. by: the rate of relaxation.
template <class T>
MEANDER_TERM void ordering_rates(const Parameters& p, const T& by, const Local<T>& x, const Fields<T>& rate) {
  const Fields<const T> q = x.at;
  MEANDER_UNROLL
  for (int k = 0; k < 3; ++k) {
    rate.A(k) = fma(by, x.d[k].a() - q.A(k), rate.A(k));
    rate.P(k) = fma(by, x.d[k].phi() - q.P(k), rate.P(k));
    MEANDER_UNROLL
    for (int i = 0; i < 3; ++i) {
      if (p.evolves_shift) rate.B(k, i) = fma(by, x.d[k].beta(i) - q.B(k, i), rate.B(k, i));
      MEANDER_UNROLL
      for (int j = i; j < 3; ++j)
        rate.D(k, i, j) = fma(by, fma(T(0.5), x.d[k].g(i, j), -q.D(k, i, j)), rate.D(k, i, j));
    }
  }
}

}  // namespace meander::ccz4
