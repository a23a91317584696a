// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Gravity about the fluxes (SplitSource of pde.hpp), of second order in time: half a kick with the acceleration at the
// beginning of the step, and half a kick with that at its end. Usable in device code.

#include "physics/euler/gravity.hpp"
#include "solvers/math.hpp"

namespace meander::euler {

// A table's value between the entries `bin` and bin + 1.
template <class T>
MEANDER_TERM T interpolated(const double* table, const T& bin, const T& fraction) {
  const Neighbours<T> at = neighbours(table, bin);
  return fma(fraction, at.second - at.first, at.first);
}

// The radial acceleration over the vector from the centre, when the field was set and a time `later` after. Needs
// gravity.dim == D and gravity.dr > 0. Copies what it needs of the field but the tables. Without a radial field it is 0: a
// branch for each volume would cost registers of the kernels.
template <int D>
struct Pull {
  double centre[D];

  MEANDER_TERM Pull(const Gravity& gravity, double later)
      : last_(gravity.bins),
        bins_per_length_(1.0 / gravity.dr),
        later_(later),
        strength_{gravity.radial ? -gravity.strength : 0,
                  gravity.radial ? -fma(later, gravity.strength_rate, gravity.strength) : 0},
        total_{gravity.excess_total, fma(later, gravity.excess_rate, gravity.excess_total)},
        table_(gravity.table),
        rate_(gravity.table_rate) {
    for (int a = 0; a < D; ++a) centre[a] = gravity.centre[a];
  }

  // away[axis]: that vector.
  template <class T>
  MEANDER_TERM void at(const T* away, T& now, T& later) const {
    T square = away[0] * away[0];
    for (int a = 1; a < D; ++a) square = fma(away[a], away[a], square);
    const T r = sqrt(square), place = r * T(bins_per_length_), last(last_);
    const T bin = max(min(floor(place), last - T(1.0)), T(0.0)), fraction = place - bin;
    now = interpolated(table_, bin, fraction);
    later = fma(T(later_), interpolated(rate_, bin, fraction), now);
    const auto outside = last < place;
    if (any(outside)) {
      const T ball = D == 3 ? square * r : square;
      now = select(outside, T(total_[0]) / ball, now);
      later = select(outside, T(total_[1]) / ball, later);
    }
    now = T(strength_[0]) * now;
    later = T(strength_[1]) * later;
  }

 private:
  double last_, bins_per_length_, later_, strength_[2], total_[2];
  const double *table_, *rate_;
};

// Adds the external acceleration at x[axis] to g[axis], both of D values, unless it is one of fields.
template <int D, class T>
MEANDER_TERM void add_external(const ExternalGravity& external, const T* x, T* g) {
  using Kind = ExternalGravity::Kind;
  if (external.kind == Kind::none || external.kind == Kind::fields) return;
  T vector[D];
  for (int a = 0; a < D; ++a) vector[a] = T(external.vector[a]);
  if (external.kind == Kind::uniform) {
    for (int a = 0; a < D; ++a) g[a] = g[a] + vector[a];
    return;
  }
  T square(external.softening_squared);
  for (int a = 0; a < D; ++a) {
    vector[a] = x[a] - vector[a];
    square = fma(vector[a], vector[a], square);
  }
  const T pull = T(-external.mass) / (D == 3 ? square * sqrt(square) : square);
  for (int a = 0; a < D; ++a) g[a] = fma(pull, vector[a], g[a]);
}

// g[axis] at x[axis], both of D values, a time `after` the field was set.
template <int D, class T>
MEANDER_TERM void acceleration_after(const Gravity& gravity, double after, const T* x, T* g) {
  const Pull<D> pull(gravity, after);
  T away[D], now, later;
  for (int a = 0; a < D; ++a) away[a] = x[a] - T(pull.centre[a]);
  pull.at(away, now, later);
  for (int a = 0; a < D; ++a) g[a] = later * away[a];
  add_external<D>(gravity.external, x, g);
}

template <int D, class T>
MEANDER_TERM void acceleration(const Gravity& gravity, const T* x, T* g) {
  acceleration_after<D>(gravity, 0.0, x, g);
}

// The point whose acceleration, multiplied by `sign` for each axis, is that of x: x itself within the domain.
template <int D, class T>
MEANDER_TERM void fold(const FixedGravity& gravity, const T* x, T* inside, T* sign) {
  using Beyond = Gravity::Beyond;
  for (int a = 0; a < D; ++a) {
    const double lower = gravity.lower[a], upper = gravity.upper[a];
    inside[a] = x[a];
    sign[a] = T(1.0);
    for (int side = 0; side < 2; ++side) {
      const Beyond beyond = gravity.beyond[2 * a + side];
      if (beyond == Beyond::same) continue;
      const auto out = side == 0 ? x[a] < T(lower) : x[a] > T(upper);
      const T image = beyond == Beyond::mirrored ? T(2 * (side == 0 ? lower : upper)) - x[a]
                                                 : x[a] + T(side == 0 ? upper - lower : lower - upper);
      inside[a] = select(out, image, inside[a]);
      if (beyond == Beyond::mirrored) sign[a] = select(out, T(-1.0), sign[a]);
    }
  }
}

template <int D>
class Kick {
 public:
  // An acceleration; the radial pulls at both ends of the step. No static members: g++ 12 has none in target regions of OpenMP.
  enum : int { first_values = D, kept_values = 2 };

  MEANDER_TERM Kick(const Gravity& gravity, double dt)
      : pull_(gravity, dt), gravity_(&gravity), dt_(dt), dt_of_predictor_(gravity.balances ? 0.0 : dt) {}

  MEANDER_HOST_DEVICE bool balances() const { return gravity_->balances; }

  MEANDER_HOST_DEVICE bool reaches_beyond(const double* lower, const double* upper) const {
    using Beyond = Gravity::Beyond;
    bool reaches = false;
    for (int a = 0; a < D; ++a) {
      const Beyond below = gravity_->beyond[2 * a], above = gravity_->beyond[2 * a + 1];
      reaches = reaches || (below != Beyond::same && lower[a] < gravity_->lower[a]) ||
                (above != Beyond::same && upper[a] > gravity_->upper[a]);
    }
    return reaches;
  }

  template <class T, class Field>
  MEANDER_TERM void at(const T* x, bool beyond, const Field& field, T* first, T* kept) const {
    T inside[D], sign[D];
    for (int a = 0; a < D; ++a) {
      inside[a] = x[a];
      sign[a] = T(1.0);
    }
    if (beyond) fold<D>(*gravity_, x, inside, sign);
    T away[D];
    for (int a = 0; a < D; ++a) away[a] = inside[a] - T(pull_.centre[a]);
    pull_.at(away, kept[0], kept[1]);
    for (int a = 0; a < D; ++a) first[a] = kept[0] * away[a];
    add_external<D>(gravity_->external, inside, first);
    if (beyond) {
      for (int a = 0; a < D; ++a) first[a] = sign[a] * first[a];
    }
    add_fields(field, first);
  }
  template <class T, class Field>
  MEANDER_TERM void first_of(const T* x, const Field& field, const T* kept, T* first) const {
    acceleration(x, field, kept[0], first);
  }

  template <class T>
  MEANDER_TERM void before(T* q, const T* first) const {
    half_kick(q, first);
  }
  // The pressure does not change.
  template <class T>
  MEANDER_TERM void before_primitive(T* w, const T* first) const {
    for (int a = 0; a < D; ++a) w[1 + a] = fma(T(0.5 * dt_of_predictor_), first[a], w[1 + a]);
  }
  template <class T, class Field>
  MEANDER_TERM void after(T* q, const T* x, const Field& field, const T* kept) const {
    T g[D];
    acceleration(x, field, kept[1], g);
    half_kick(q, g);
  }

 private:
  template <class T, class Field>
  MEANDER_TERM void acceleration(const T* x, const Field& field, const T& pull, T* g) const {
    for (int a = 0; a < D; ++a) g[a] = pull * (x[a] - T(pull_.centre[a]));
    add_external<D>(gravity_->external, x, g);
    add_fields(field, g);
  }
  // Halos hold the acceleration of their images already.
  template <class T, class Field>
  MEANDER_TERM void add_fields(const Field& field, T* g) const {
    if (gravity_->external.kind != ExternalGravity::Kind::fields) return;
    for (int a = 0; a < D; ++a) g[a] = g[a] + field(a);
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
  const Gravity* gravity_;
  double dt_, dt_of_predictor_;
};

}  // namespace meander::euler
