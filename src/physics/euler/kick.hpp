// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Gravity about the fluxes (SplitSource of pde.hpp), of second order in time: half a kick with the acceleration at the
// beginning of the step, and half a kick with that at its end. Usable in device code.

#include "physics/euler/acceleration.hpp"

namespace meander::euler {

template <int D>
class Kick {
 public:
  static constexpr int first_values = D,
                       kept_values = 2;  // an acceleration; the pulls at both ends of the step

  MEANDER_TERM Kick(const SphericalGravity& gravity, double dt)
      : pull_(gravity, dt), gravity_(&gravity), dt_(dt) {}

  MEANDER_HOST_DEVICE bool reaches_beyond(const double* lower, const double* upper) const {
    using Beyond = SphericalGravity::Beyond;
    bool reaches = false;
    for (int a = 0; a < D; ++a) {
      const Beyond below = gravity_->beyond[2 * a], above = gravity_->beyond[2 * a + 1];
      reaches = reaches || (below != Beyond::same && lower[a] < gravity_->lower[a]) ||
                (above != Beyond::same && upper[a] > gravity_->upper[a]);
    }
    return reaches;
  }

  template <class T>
  MEANDER_TERM void at(const T* x, bool beyond, T* first, T* kept) const {
    T away[D], sign[D];
    for (int a = 0; a < D; ++a) {
      away[a] = x[a];
      sign[a] = T(1.0);
    }
    if (beyond) fold<D>(*gravity_, x, away, sign);
    for (int a = 0; a < D; ++a) away[a] = away[a] - T(pull_.centre[a]);
    pull_.at(away, kept[0], kept[1]);
    for (int a = 0; a < D; ++a) first[a] = kept[0] * away[a];
    if (!beyond) return;
    for (int a = 0; a < D; ++a) first[a] = sign[a] * first[a];
  }
  template <class T>
  MEANDER_TERM void first_of(const T* x, const T* kept, T* first) const {
    acceleration(x, kept[0], first);
  }

  template <class T>
  MEANDER_TERM void before(T* q, const T* first) const {
    half_kick(q, first);
  }
  // The pressure does not change.
  template <class T>
  MEANDER_TERM void before_primitive(T* w, const T* first) const {
    for (int a = 0; a < D; ++a) w[1 + a] = fma(T(0.5 * dt_), first[a], w[1 + a]);
  }
  template <class T>
  MEANDER_TERM void after(T* q, const T* x, const T* kept) const {
    T g[D];
    acceleration(x, kept[1], g);
    half_kick(q, g);
  }

 private:
  template <class T>
  MEANDER_TERM void acceleration(const T* x, const T& pull, T* g) const {
    for (int a = 0; a < D; ++a) g[a] = pull * (x[a] - T(pull_.centre[a]));
  }
  // The work is done with the mean of the momentum before and after, so the thermal energy does not change.
  template <class T>
  MEANDER_TERM void half_kick(T* q, const T* g) const {
    const T quarter(0.25 * dt_), half(0.5), step(dt_);
    T power(0.0);
    for (int a = 0; a < D; ++a) {
      const T force = q[0] * g[a];
      power = fma(half * g[a], fma(quarter, force, q[1 + a]), power);
      q[1 + a] = fma(step, half * force, q[1 + a]);
    }
    q[D + 1] = fma(step, power, q[D + 1]);
  }

  Pull<D> pull_;
  const SphericalGravity* gravity_;
  double dt_;
};

}  // namespace meander::euler
