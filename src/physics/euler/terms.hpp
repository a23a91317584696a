// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The Euler equations of an ideal gas (Toro 2009, ch. 3) as terms over any value type. Unknowns: density rho,
// momentum m (D components), total energy density E. Pressure p = (gamma - 1) (E - |m|^2 / (2 rho)). Usable
// in device code.

#include "physics/euler/gravity.hpp"
#include "physics/euler/hllc.hpp"
#include "physics/euler/kick.hpp"
#include "physics/euler/parameters.hpp"
#include "solvers/list.hpp"
#include "solvers/math.hpp"
#include "solvers/riemann.hpp"

namespace meander::euler {

template <int D>
struct Terms {
  using StepData = Gravity;
  static constexpr int dim = D;
  static constexpr int unknowns = D + 2;
  static constexpr int auxiliaries = D + 2;  // velocity (D), pressure, sound speed
  static constexpr bool has_flux = true, has_ncp = false, has_source = true;
  static constexpr int energy = D + 1, pressure = D, sound = D + 1;
  static constexpr int balanced = energy, weighed = 0;  // of the primitive variables
  // Slopes of the momentum are at most the differences from neighbours, so that a bound on the density is one on the speed. One by
  // the energy would fail where the velocity of cold gas changes its sign.
  static constexpr int kept = 0;
  static constexpr bool specialised_by_patch_size = true;
  // Density and pressure are positive on a convex cone.
  static constexpr bool admissible_cone = true;
  using RiemannSolvers = List<RusanovFlux, Hllc>;

  double gamma = 1.4, density_floor = 0, pressure_floor = 0;

  Terms() = default;
  MEANDER_HOST_DEVICE explicit Terms(const Parameters& parameters)
      : gamma(parameters.gamma),
        density_floor(parameters.density_floor),
        pressure_floor(parameters.pressure_floor) {}

  template <class T>
  MEANDER_TERM static T momentum_squared(const T* q) {
    T sum = q[1] * q[1];
    for (int a = 1; a < D; ++a) sum = sum + q[1 + a] * q[1 + a];
    return sum;
  }

  template <class T>
  MEANDER_TERM void auxiliary(const T* q, T* a) const {
    const T volume = T(1.0) / q[0], twice_kinetic = momentum_squared(q) * volume;
    auxiliary_of(q, volume, T(gamma - 1.0) * fma(T(-0.5), twice_kinetic, q[energy]), a);
  }

  // The derived quantities that devices compute, in the order of derived_quantities(): velocity, pressure,
  // sound speed.
  static constexpr int device_quantities = D + 2;
  MEANDER_TERM double quantity(int k, const double* q) const {
    if (k < D) return q[1 + k] / q[0];
    double a[auxiliaries];
    auxiliary(q, a);
    return a[k];
  }

  template <class T>
  MEANDER_TERM T max_eigenvalue(const T*, const T* a, int axis) const {
    return abs(a[axis]) + a[sound];
  }

  template <class T>
  MEANDER_TERM void flux(const T* q, const T* a, int axis, T* f) const {
    const T u = a[axis];
    f[0] = q[1 + axis];
    for (int b = 0; b < D; ++b) f[1 + b] = b == axis ? fma(q[1 + b], u, a[pressure]) : q[1 + b] * u;
    f[energy] = u * (q[energy] + a[pressure]);
  }

  // Primitive variables: rho, velocity (D), p.
  template <class T>
  MEANDER_TERM void primitive(const T* q, T* w) const {
    const T volume = T(1.0) / q[0];
    w[0] = q[0];
    for (int a = 0; a < D; ++a) w[1 + a] = q[1 + a] * volume;
    w[energy] = T(gamma - 1.0) * fma(T(-0.5), momentum_squared(q) * volume, q[energy]);
  }

  template <class T>
  MEANDER_TERM void conserved(const T* w, T* q) const {
    q[0] = w[0];
    for (int a = 0; a < D; ++a) q[1 + a] = w[0] * w[1 + a];
    q[energy] = fma(T(1.0 / (gamma - 1.0)), w[energy], T(0.5) * (w[0] * momentum_squared(w)));
  }

  template <class T>
  MEANDER_TERM void primitive_auxiliary(const T* w, T* a) const {
    for (int axis = 0; axis < D; ++axis) a[axis] = w[1 + axis];
    a[pressure] = w[energy];
    a[sound] = sqrt(T(gamma) * w[energy] / w[0]);
  }

  template <class T>
  MEANDER_TERM auto admissible_primitive(const T* w) const {
    return w[0] > T(0.0) && w[energy] > T(0.0);
  }

  // Whether face states that differ from a volume's state w by these absolute values differ by a sixteenth or more: of
  // density, pressure or, for the velocity, of the isothermal sound speed. True for NaN.
  template <class T>
  MEANDER_TERM auto steep(const T* w, const T* change) const {
    return !(calm(w, change) && swift(change) * w[0] < T(part * part) * w[energy]);
  }

  // Adds A_axis(W) dw, the quasi-linear form (Toro 2009, section 3.2.3), to `sum`.
  template <class T>
  MEANDER_TERM void add_quasilinear(const T* w, const T* dw, int axis, T* sum) const {
    add_advecting<unknowns>(w, dw, axis, sum);
  }
  // The same with N - unknowns quantities that move with the gas, after the primitive variables.
  template <int N, class T>
  MEANDER_TERM void add_advecting(const T* w, const T* dw, int axis, T* sum) const {
    const T specific = T(1.0) / w[0], stiffness = T(gamma) * w[energy], expansion = dw[1 + axis];
    for (int n = 0; n < N; ++n) sum[n] = fma(w[1 + axis], dw[n], sum[n]);
    sum[0] = fma(w[0], expansion, sum[0]);
    sum[1 + axis] = fma(specific, dw[energy], sum[1 + axis]);
    sum[energy] = fma(stiffness, expansion, sum[energy]);
  }

  // Adds A_axis(W) dw of the part `rest` of the pressure's dw, whose gradient balances the acceleration.
  template <class T>
  MEANDER_TERM void add_balanced(const T* w, const T& rest, int axis, T* sum) const {
    sum[balanced] = fma(w[1 + axis], rest, sum[balanced]);
  }

  MEANDER_HOST_DEVICE bool source_on(const Gravity& gravity) const {
    return gravity.radial || gravity.external.kind != ExternalGravity::Kind::none;
  }

  MEANDER_TERM Kick<D> split_source(const Gravity& gravity, double dt) const { return {gravity, dt}; }

  static constexpr double reflection_sign(int unknown, int axis) { return unknown == 1 + axis ? -1.0 : 1.0; }

  // True if density and pressure are positive; false for NaN. rho p > 0 avoids a division.
  template <class T>
  MEANDER_TERM auto admissible(const T* q) const {
    return q[0] > T(0.0) && q[0] * q[energy] > T(0.5) * momentum_squared(q);
  }

  MEANDER_HOST_DEVICE bool enforces() const { return density_floor > 0 || pressure_floor > 0; }

  // Raises the density first, at fixed momentum and energy. If the kinetic energy would exceed the energy, more has left the volume
  // than was in it: its momentum would become a speed without bound, so that the gas is at rest, with the floor of the pressure.
  // Then raises the pressure, by adding thermal energy that rounding of the energy does not swallow.
  template <class T>
  MEANDER_TERM auto enforce(T* q) const {
    T unused[auxiliaries];
    return enforce(q, unused);
  }
  // Gives the auxiliaries of the new state, too.
  template <class T>
  MEANDER_TERM auto enforce(T* q, T* a) const {
    const auto thin = q[0] < T(density_floor);
    q[0] = select(thin, T(density_floor), q[0]);
    const T volume = T(1.0) / q[0];
    T twice_kinetic = momentum_squared(q) * volume;
    const T coldest = T(pressure_floor > 0 ? pressure_floor / (gamma - 1.0) : -largest),
            found = fma(T(-kinetic_share), twice_kinetic, q[energy]);
    rest(q, twice_kinetic, thin && found < T(0.0));
    const auto cold = found < coldest;
    q[energy] = select(cold, fma(T(kinetic_share), twice_kinetic, coldest), q[energy]);
    auxiliary_of(q, volume, T(gamma - 1.0) * fma(T(-0.5), twice_kinetic, q[energy]), a);
    return thin || cold;
  }

 protected:
  static constexpr double part = 1.0 / 16, largest = 1.7976931348623157e308;
  // Of |m|^2 / rho, in the energy at the floor of the pressure: a half, and what rounding does not swallow.
  static constexpr double kinetic_share = 0.5 + 1.0 / (1LL << 49);
  template <class T, class Mask>
  MEANDER_TERM static void rest(T* q, T& twice_kinetic, const Mask& which) {
    for (int a = 0; a < D; ++a) q[1 + a] = select(which, T(0.0), q[1 + a]);
    twice_kinetic = select(which, T(0.0), twice_kinetic);
  }
  // The parts of steep().
  template <class T>
  MEANDER_TERM static auto calm(const T* w, const T* change) {
    return change[0] < T(part) * w[0] && change[energy] < T(part) * w[energy];
  }
  template <class T>
  MEANDER_TERM static T swift(const T* w) {
    T sum = w[1] * w[1];
    for (int a = 1; a < D; ++a) sum = fma(w[1 + a], w[1 + a], sum);
    return sum;
  }
  // The auxiliaries from 1 / rho and the pressure.
  template <class T>
  MEANDER_TERM void auxiliary_of(const T* q, const T& volume, const T& p, T* a) const {
    for (int axis = 0; axis < D; ++axis) a[axis] = q[1 + axis] * volume;
    a[pressure] = p;
    a[sound] = sqrt(T(gamma) * p * volume);
  }
};

}  // namespace meander::euler
