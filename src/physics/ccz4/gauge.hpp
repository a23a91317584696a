// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Rates of lapse and shift and of their derivatives A_k and B_k^i: slicing and Gamma driver. Usable in device
// code.

#include "physics/ccz4/geometry.hpp"
#include "physics/ccz4/parameters.hpp"
#include "solvers/math.hpp"

namespace meander::ccz4 {

// The relaxation rates that may depend on the place: of the Gamma driver, the ordering constraints and the
// constraints.
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

// beta^k d_k of unknown n.
template <class T>
MEANDER_TERM T advection(const Local<T>& x, int n) {
  const Fields<const T> q = x.at;
  return fma(q.beta(0), x.d[0].q[n], fma(q.beta(1), x.d[1].q[n], q.beta(2) * x.d[2].q[n]));
}

// q = a^2 g(a).
template <class T>
MEANDER_TERM T slicing_speed(const T& a, Slicing slicing) {
  return slicing == Slicing::harmonic ? a * a : T(2.0) * a;
}

template <class T>
MEANDER_TERM void lapse_rates(const Parameters& p, const Local<T>& x, const Geometry<T>& s,
                              const Fields<T>& rate) {
  const Fields<const T> q = x.at;
  const T speed = slicing_speed(q.a(), p.slicing);
  const T slope = p.slicing == Slicing::harmonic ? T(2.0) * q.a() : T(2.0);  // dq / da
  const T one(p.evolves_shift ? 1.0 : 0.0);
  T advected(0.0);
  MEANDER_UNROLL
  for (int k = 0; k < 3; ++k) advected = fma(q.beta(k), q.A(k), advected);
  rate.a() = fma(-speed, s.lapse_K, advected);
  rate.K0() = T(0.0);
  MEANDER_UNROLL
  for (int k = 0; k < 3; ++k) {
    const T gradient = fma(T(-2.0 * p.c), x.d[k].Theta(), x.d[k].K() - x.d[k].K0());
    T sum = fma(-speed, fma(one, s.tr_dA[k], gradient), advection(x, at::A + k));
    sum = fma(-(slope * q.A(k)), s.lapse_K, sum);
    MEANDER_UNROLL
    for (int l = 0; l < 3; ++l) sum = fma(q.B(k, l), q.A(l), sum);
    rate.A(k) = sum;
  }
}

// Requires the rate of G.
template <class T>
MEANDER_TERM void shift_rates(const Parameters& p, const Relaxation<T>& relaxation, const Local<T>& x,
                              const Geometry<T>& s, const Fields<T>& rate) {
  if (!p.evolves_shift) {
    MEANDER_UNROLL
    for (int n = at::beta; n < at::A; ++n) rate.q[n] = T(0.0);
    MEANDER_UNROLL
    for (int n = at::B; n < at::D; ++n) rate.q[n] = T(0.0);
    return;
  }
  const Fields<const T> q = x.at;
  const T f(p.f), w = T(p.mu) * (q.a() * q.a()), inverse_phi = T(1.0) / q.phi();
  MEANDER_UNROLL
  for (int i = 0; i < 3; ++i) {
    T sum = f * q.b(i);
    MEANDER_UNROLL
    for (int k = 0; k < 3; ++k) sum = fma(q.beta(k), q.B(k, i), sum);
    rate.beta(i) = sum;
    const T pulled = rate.G(i) - advection(x, at::G + i);
    rate.b(i) = fma(-relaxation.eta, q.b(i), advection(x, at::b + i) + pulled);
  }
  MEANDER_UNROLL
  for (int k = 0; k < 3; ++k) {
    T curl[3];  // of P_j and D_jln: zero where they are gradients
    MEANDER_UNROLL
    for (int j = 0; j < 3; ++j) {
      T of_D(0.0);
      MEANDER_UNROLL
      for (int l = 0; l < 3; ++l) {
        if (l == k) continue;
        MEANDER_UNROLL
        for (int n = 0; n < 3; ++n) of_D = fma(s.inverse(n, l), x.d[k].D(l, j, n) - x.d[l].D(k, j, n), of_D);
      }
      curl[j] = j == k ? -of_D : fma(inverse_phi, x.d[k].P(j) - x.d[j].P(k), -of_D);
      curl[j] = w * curl[j];
    }
    MEANDER_UNROLL
    for (int i = 0; i < 3; ++i) {
      T sum = fma(f, x.d[k].b(i), advection(x, at::B + 3 * k + i));
      MEANDER_UNROLL
      for (int l = 0; l < 3; ++l) sum = fma(q.B(k, l), q.B(l, i), sum);
      rate.B(k, i) = sum + s.raise(i, curl);
    }
  }
}

}  // namespace meander::ccz4
