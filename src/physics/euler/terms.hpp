// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The Euler equations of an ideal gas (Toro 2009, ch. 3) as terms over any value type. Unknowns: density rho,
// momentum m (D components), total energy density E. Pressure p = (gamma - 1) (E - |m|^2 / (2 rho)). Usable
// in device code.

#include "physics/euler/acceleration.hpp"
#include "physics/euler/gravity.hpp"
#include "physics/euler/hllc.hpp"
#include "physics/euler/parameters.hpp"
#include "solvers/list.hpp"
#include "solvers/math.hpp"
#include "solvers/riemann.hpp"

namespace meander::euler {

template <int D>
struct Terms {
  using StepData = SphericalGravity;
  static constexpr int dim = D;
  static constexpr int unknowns = D + 2;
  static constexpr int auxiliaries = D + 2;  // velocity (D), pressure, sound speed
  static constexpr bool has_flux = true, has_ncp = false, has_source = true;
  static constexpr int energy = D + 1, pressure = D, sound = D + 1;
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
    const T volume = T(1.0) / q[0];
    for (int axis = 0; axis < D; ++axis) a[axis] = q[1 + axis] * volume;
    const T twice_kinetic = momentum_squared(q) * volume;
    a[pressure] = T(gamma - 1.0) * fma(T(-0.5), twice_kinetic, q[energy]);
    a[sound] = sqrt(T(gamma) * a[pressure] * volume);
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
  // density, pressure or, for the velocity, of the isothermal sound speed.
  template <class T>
  MEANDER_TERM auto steep(const T* w, const T* change) const {
    const T part(1.0 / 16);
    T motion = change[1] * change[1];
    for (int a = 1; a < D; ++a) motion = fma(change[1 + a], change[1 + a], motion);
    return part * w[0] < change[0] || part * w[energy] < change[energy] ||
           part * part * w[energy] < motion * w[0];
  }

  // W + ratio * sum over axes a of A_a(W) dw[a * N + n], the quasi-linear form (Toro 2009, section 3.2.3).
  template <class T>
  MEANDER_TERM void predict(const T* w, const T* dw, T ratio, T* out) const {
    predict_advecting<unknowns>(w, dw, ratio, out);
  }
  // The same with N - unknowns quantities that move with the gas, after the primitive variables.
  template <int N, class T>
  MEANDER_TERM void predict_advecting(const T* w, const T* dw, T ratio, T* out) const {
    const T specific = T(1.0) / w[0], stiffness = T(gamma) * w[energy];
    T change[N];
    for (int n = 0; n < N; ++n) {
      change[n] = w[1] * dw[n];
      for (int a = 1; a < D; ++a) change[n] = change[n] + w[1 + a] * dw[a * N + n];
    }
    T divergence = dw[1];
    for (int a = 1; a < D; ++a) divergence = divergence + dw[a * N + 1 + a];
    change[0] = fma(w[0], divergence, change[0]);
    for (int a = 0; a < D; ++a) change[1 + a] = fma(specific, dw[a * N + energy], change[1 + a]);
    change[energy] = fma(stiffness, divergence, change[energy]);
    for (int n = 0; n < N; ++n) out[n] = fma(ratio, change[n], w[n]);
  }

  MEANDER_HOST_DEVICE bool source_on(const SphericalGravity& gravity) const { return gravity.on; }

  // Gravity is of second order in time: half a kick with the acceleration at the beginning of the step, the
  // fluxes, and half a kick with that at its end.
  template <class T>
  MEANDER_TERM void source_before(const T* q, const T* x, double, double dt, const SphericalGravity& gravity,
                                  T* s) const {
    T inside[D], sign[D], g[D];
    fold<D>(gravity, x, inside, sign);
    acceleration<D>(gravity, inside, g);
    for (int a = 0; a < D; ++a) g[a] = sign[a] * g[a];
    half_kick(q, g, dt, s);
  }
  template <class T>
  MEANDER_TERM void source(const T* q, const T* x, double, double dt, const SphericalGravity& gravity,
                           T* s) const {
    T g[D];
    acceleration_after<D>(gravity, dt, x, g);
    half_kick(q, g, dt, s);
  }
  // The work is done with the mean of the momentum before and after, so the thermal energy does not change.
  template <class T>
  MEANDER_TERM static void half_kick(const T* q, const T* g, double dt, T* s) {
    const T quarter(0.25 * dt), half(0.5);
    s[0] = T(0.0);
    s[energy] = T(0.0);
    for (int a = 0; a < D; ++a) {
      const T force = q[0] * g[a];
      s[1 + a] = half * force;
      s[energy] = fma(half * g[a], fma(quarter, force, q[1 + a]), s[energy]);
    }
  }

  static constexpr double reflection_sign(int unknown, int axis) { return unknown == 1 + axis ? -1.0 : 1.0; }

  // True if density and pressure are positive; false for NaN. rho p > 0 avoids a division.
  template <class T>
  MEANDER_TERM auto admissible(const T* q) const {
    return q[0] > T(0.0) && q[0] * q[energy] > T(0.5) * momentum_squared(q);
  }

  MEANDER_HOST_DEVICE bool enforces() const { return density_floor > 0 || pressure_floor > 0; }

  // Raises the density first, at fixed momentum and energy; then the pressure, by adding thermal energy.
  template <class T>
  MEANDER_TERM auto enforce(T* q) const {
    const auto thin = q[0] < T(density_floor);
    q[0] = select(thin, T(density_floor), q[0]);
    const T twice_kinetic = momentum_squared(q) / q[0];
    const T coldest = T(pressure_floor / (gamma - 1.0));
    const auto cold = fma(T(-0.5), twice_kinetic, q[energy]) < coldest;
    q[energy] = select(cold, fma(T(0.5), twice_kinetic, coldest), q[energy]);
    return thin || cold;
  }
};

}  // namespace meander::euler
