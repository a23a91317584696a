// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Rates of conformal metric and conformal factor and of their derivatives D_kij and P_k. Usable in device
// code.

#include "physics/ccz4/gauge.hpp"

namespace meander::ccz4 {

template <class T>
MEANDER_TERM void metric_rates(const Parameters& p, const Local<T>& x, const Geometry<T>& s,
                               const Fields<T>& rate) {
  const Fields<const T> q = x.at;
  const T third(1.0 / 3.0);
  // The part of the rate proportional to g~_ij: -2/3 B_k^k + 2/3 a tr A~ - (det g~ - 1) / tau.
  const T stretch = fma(T(2.0 / 3.0), fma(q.a(), s.tr_A, -s.div_beta), T(-1.0 / p.tau) * (s.det - T(1.0)));
  MEANDER_UNROLL
  for (int i = 0; i < 3; ++i) {
    MEANDER_UNROLL
    for (int j = i; j < 3; ++j) {
      T sum = stretch * q.g(i, j), advected(0.0);
      MEANDER_UNROLL
      for (int k = 0; k < 3; ++k) {
        sum = fma(q.g(k, i), q.B(j, k), sum);
        sum = fma(q.g(k, j), q.B(i, k), sum);
        advected = fma(q.beta(k), q.D(k, i, j), advected);
      }
      rate.g(i, j) = fma(T(2.0), fma(-q.a(), q.At(i, j), advected), sum);
    }
  }
  const T expansion = third * fma(q.a(), q.K(), -s.div_beta), phi_third = third * q.phi();
  T sum = q.phi() * expansion;
  MEANDER_UNROLL
  for (int k = 0; k < 3; ++k) sum = fma(q.beta(k), q.P(k), sum);
  rate.phi() = sum;
  const T one(p.evolves_shift ? 1.0 : 0.0);
  MEANDER_UNROLL
  for (int k = 0; k < 3; ++k) {
    const T gradient = fma(q.a(), fma(one, s.tr_dA[k], x.d[k].K()), fma(q.A(k), q.K(), -s.div_dB[k]));
    T of_P = fma(phi_third, gradient, fma(q.P(k), expansion, advection(x, at::P + k)));
    MEANDER_UNROLL
    for (int l = 0; l < 3; ++l) of_P = fma(q.B(k, l), q.P(l), of_P);
    rate.P(k) = of_P;
  }
}

template <class T>
MEANDER_TERM void metric_gradient_rates(const Local<T>& x, const Geometry<T>& s, const Fields<T>& rate) {
  const Fields<const T> q = x.at;
  const T third(1.0 / 3.0), contraction = T(-2.0 / 3.0) * s.div_beta, tr_A_third = third * s.tr_A;
  MEANDER_UNROLL
  for (int k = 0; k < 3; ++k) {
    T dB[3][3];  // 2 g~_mi d_(k B_j)^m, by j and i
    MEANDER_UNROLL
    for (int j = 0; j < 3; ++j) {
      T both[3];
      MEANDER_UNROLL
      for (int m = 0; m < 3; ++m) both[m] = x.d[k].B(j, m) + x.d[j].B(k, m);
      MEANDER_UNROLL
      for (int i = 0; i < 3; ++i)
        dB[j][i] = fma(q.g(i, 0), both[0], fma(q.g(i, 1), both[1], q.g(i, 2) * both[2]));
    }
    // The part proportional to g~_ij: -1/3 d_(k B_m)^m + a/3 T_k + 1/3 A_k tr A~.
    const T stretch = fma(third, fma(q.a(), s.tr_dA[k], -s.div_dB[k]), q.A(k) * tr_A_third);
    MEANDER_UNROLL
    for (int i = 0; i < 3; ++i) {
      MEANDER_UNROLL
      for (int j = i; j < 3; ++j) {
        T sum = fma(T(0.25), dB[j][i] + dB[i][j], advection(x, at::D + 6 * k + pair(i, j)));
        sum = fma(stretch, q.g(i, j), sum);
        sum = fma(-q.a(), x.d[k].At(i, j), sum);
        sum = fma(-q.A(k), q.At(i, j), sum);
        sum = fma(contraction, q.D(k, i, j), sum);
        MEANDER_UNROLL
        for (int l = 0; l < 3; ++l) {
          sum = fma(q.B(k, l), q.D(l, i, j), sum);
          sum = fma(q.B(j, l), q.D(k, l, i), sum);
          sum = fma(q.B(i, l), q.D(k, l, j), sum);
        }
        rate.D(k, i, j) = sum;
      }
    }
  }
}

// The largest wave speeds of CCZ4 along the axes (Dumbser et al. 2018).
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
