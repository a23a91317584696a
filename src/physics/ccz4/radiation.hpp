// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sommerfeld's condition. Far out every unknown is that of flat space plus f(r - v t) / r, where r is the
// distance from the domain's centre, so dt Q = -v (d_r Q + (Q - flat) / r) (Shibata and Nakamura 1995;
// Alcubierre et al. 2003). A_k, B_k^i, D_kij and P_k are not such waves but derivatives of one: their
// condition is the derivative of that condition, so that they remain the derivatives that they represent.
// Usable in device code.

#include "physics/ccz4/parameters.hpp"
#include "physics/ccz4/unknowns.hpp"

namespace meander::ccz4 {

// For an unknown f minus its value in flat space, and its derivatives F_k. x: relative to the centre.
template <class T>
struct Wave {
  T speed_over_r, over_r2;
  T x[3];

  MEANDER_TERM T rate(const T& f, const T* F) const {
    return -speed_over_r * fma(x[0], F[0], fma(x[1], F[1], fma(x[2], F[2], f)));
  }
  // dF: d_i F_k, with i the axis.
  MEANDER_TERM T rate_of_slope(const T& f, const T* F, const T* dF, int k) const {
    const T along = fma(x[0], dF[0], fma(x[1], dF[1], x[2] * dF[2]));
    return fma(-speed_over_r, fma(T(2.0), F[k], along), -(over_r2 * x[k]) * rate(f, F));
  }
};

// For f at index n with derivatives at m, m + stride, m + 2 stride, each `share` times the derivative that it
// represents.
template <class T, class At, class Enter>
MEANDER_TERM void radiate_with_slopes(const Wave<T>& wave, const At& point, int n, double flat, int m,
                                      int stride, double share, const Enter& enter) {
  const T over(1.0 / share), f = point.value(n) - T(flat);
  const T F[3] = {over * point.value(m), over * point.value(m + stride), over * point.value(m + 2 * stride)};
  enter(n, wave.rate(f, F));
  MEANDER_UNROLL
  for (int k = 0; k < 3; ++k) {
    T dF[3];
    MEANDER_UNROLL
    for (int i = 0; i < 3; ++i) dF[i] = over * point.slope(i, m + k * stride);
    enter(m + k * stride, T(share) * wave.rate_of_slope(f, F, dF, k));
  }
}

// Rates at x. point.value(n) is an unknown and point.slope(axis, n) its derivative; each rate is passed to
// enter(n, rate).
template <class T, class At, class Enter>
MEANDER_TERM void radiation_rates(const Parameters& p, const At& point, const T* x, const Enter& enter) {
  Wave<T> wave{T(0.0), T(0.0), {x[0] - T(p.middle[0]), x[1] - T(p.middle[1]), x[2] - T(p.middle[2])}};
  const T over_r = T(1.0) / sqrt(fma(wave.x[0], wave.x[0], fma(wave.x[1], wave.x[1], wave.x[2] * wave.x[2])));
  wave.over_r2 = over_r * over_r;
  const auto plain = [&](int first, int count, double speed) {
    wave.speed_over_r = T(speed) * over_r;
    for (int n = first; n < first + count; ++n) {
      const T slope[3] = {point.slope(0, n), point.slope(1, n), point.slope(2, n)};
      enter(n, wave.rate(point.value(n), slope));
    }
  };
  const double of_lapse = p.slicing == Slicing::harmonic ? 1.0 : sqrt(2.0);
  const double of_shift = p.evolves_shift ? sqrt(4.0 / 3.0 * p.f) : 0.0;
  plain(at::At, 6, 1.0);
  plain(at::Theta, 1, p.e);
  plain(at::G, 3, 1.0);
  plain(at::b, 3, of_shift);
  plain(at::K, 1, of_lapse);
  plain(at::K0, 1, 0.0);
  wave.speed_over_r = over_r;
  for (int n = 0; n < 6; ++n)
    radiate_with_slopes(wave, point, at::g + n, n == 0 || n == 3 || n == 5 ? 1.0 : 0.0, at::D + n, 6, 0.5,
                        enter);
  radiate_with_slopes(wave, point, at::phi, 1.0, at::P, 1, 1.0, enter);
  wave.speed_over_r = T(of_lapse) * over_r;
  radiate_with_slopes(wave, point, at::a, 1.0, at::A, 1, 1.0, enter);
  wave.speed_over_r = T(of_shift) * over_r;
  for (int i = 0; i < 3; ++i) radiate_with_slopes(wave, point, at::beta + i, 0.0, at::B + i, 3, 1.0, enter);
}

}  // namespace meander::ccz4
