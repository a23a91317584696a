// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Rates of A~_ij, K, Theta and Gamma-hat^i, which contain the Ricci tensor and the damping of the
// constraints. Usable in device code.

#include "physics/ccz4/curvature.hpp"
#include "physics/ccz4/gauge.hpp"

namespace meander::ccz4 {

// a k1.
template <class T>
MEANDER_TERM T damping(const Parameters& p, const T& k1, const Fields<const T>& q) {
  return p.damps_with_lapse ? k1 * q.a() : k1;
}

template <class T>
MEANDER_TERM void curvature_rates(const Parameters& p, const T& k1, const Local<T>& x, const Geometry<T>& s,
                                  const Curvature<T>& r, const Fields<T>& rate) {
  const Fields<const T> q = x.at;
  const T third(1.0 / 3.0), two_thirds(2.0 / 3.0);
  const T K_Theta = fma(T(-2.0 * p.c), q.Theta(), q.K());
  const T of_A = fma(q.a(), K_Theta, -(two_thirds * s.div_beta));
  const T of_g = -fma(third, r.source_trace, T(1.0 / p.tau) * s.tr_A);
  MEANDER_UNROLL
  for (int i = 0; i < 3; ++i) {
    MEANDER_UNROLL
    for (int j = i; j < 3; ++j) {
      T sum = advection(x, at::At + pair(i, j)) + r.source(i, j), square(0.0);
      sum = fma(of_A, q.At(i, j), sum);
      sum = fma(of_g, q.g(i, j), sum);
      MEANDER_UNROLL
      for (int k = 0; k < 3; ++k) {
        sum = fma(q.At(k, i), q.B(j, k), sum);
        sum = fma(q.At(k, j), q.B(i, k), sum);
        square = fma(q.At(i, k), s.A_mixed[k][j], square);
      }
      rate.At(i, j) = fma(T(-2.0) * q.a(), square, sum);
    }
  }
  const T A_A = trace(s.A_up, symmetric(&q.At(0, 0)));
  const T damped = damping(p, k1, q) * q.Theta();
  rate.K() = fma(q.a(), fma(q.K(), K_Theta, r.scalar), advection(x, at::K)) - r.laplacian;
  rate.K() = fma(T(-3.0 * (1.0 + p.k2)), damped, rate.K());
  const T hamiltonian = r.scalar + fma(two_thirds * q.K(), q.K(), -A_A);
  T Z_A(0.0);
  MEANDER_UNROLL
  for (int i = 0; i < 3; ++i) Z_A = fma(s.Z_up[i], q.A(i), Z_A);
  T sum = fma(T(0.5 * p.e * p.e) * q.a(), hamiltonian, advection(x, at::Theta));
  sum = fma(T(-p.c) * q.a(), q.K() * q.Theta(), sum);
  sum = fma(-(q.phi() * q.phi()), Z_A, sum);
  rate.Theta() = fma(T(-(2.0 + p.k2)), damped, sum);
}

template <class T>
MEANDER_TERM void connection_rates(const Parameters& p, const T& k1, const Local<T>& x, const Geometry<T>& s,
                                   const Fields<T>& rate) {
  const Fields<const T> q = x.at;
  const T a = q.a(), over_phi = T(-6.0) * a / q.phi(), one(p.evolves_shift ? 1.0 : 0.0);
  const T of_Z = T(-2.0) * fma(T(2.0 / 3.0) * a, q.K(), damping(p, k1, q));
  // by_metric and by_A are raised by g~^ik and A~^ik; `dragged` is advected by the shift.
  T by_metric[3], by_A[3], dragged[3];
  MEANDER_UNROLL
  for (int k = 0; k < 3; ++k) {
    const T momentum = fma(T(-2.0 / 3.0), x.d[k].K(), x.d[k].Theta() + one * s.tr_dA[k]);
    by_metric[k] = fma(T(2.0), fma(a, momentum, -(q.A(k) * q.Theta())), T(1.0 / 3.0) * s.div_dB[k]);
    by_metric[k] = fma(of_Z, s.Z[k], by_metric[k]);
    by_A[k] = fma(over_phi, q.P(k), T(-2.0) * q.A(k));
    dragged[k] = fma(T(2.0 * p.k3), s.Z_up[k], s.contracted[k]);
  }
  const T divergence = T(2.0 / 3.0) * s.div_beta;
  MEANDER_UNROLL
  for (int i = 0; i < 3; ++i) {
    T sum = fma(T(2.0) * a, trace(s.A_up, s.upper[i]), advection(x, at::G + i));
    sum = fma(divergence, dragged[i], sum) + s.raise(i, by_metric);
    Symmetric<T> ddbeta;  // d_(k B_l)^i
    MEANDER_UNROLL
    for (int k = 0; k < 3; ++k) {
      sum = fma(s.A_up(i, k), by_A[k], sum);
      sum = fma(-dragged[k], q.B(k, i), sum);
      MEANDER_UNROLL
      for (int l = k; l < 3; ++l) ddbeta(k, l) = T(0.5) * (x.d[k].B(l, i) + x.d[l].B(k, i));
    }
    rate.G(i) = sum + trace(s.inverse, ddbeta);
  }
}

}  // namespace meander::ccz4
