// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The Euler equations with the entropy density as an additional unknown, for gas much colder than its motion. There
// the total energy E is the kinetic energy up to a small difference, the internal energy, which truncation errors of E
// and of the momentum exceed.
//
// The entropy density S = p / rho^(gamma - 1) of a smooth flow obeys dS/dt + div(S u) = 0 (Ryu, Ostriker, Kang and Cen
// 1993, ApJ 414, 1, equation 18). The fractions that decide between both energies are those of Bryan, Norman, Stone,
// Cen and Ostriker (1995, Comput. Phys. Commun. 89, 149, section 3.3), but of one volume alone, without its neighbours:
//
//   E - |m|^2 / (2 rho) > eta1 E: the pressure is that of E, by the operations of Terms; otherwise that of S.
//   E - |m|^2 / (2 rho) > eta2 E: enforce() sets S from E, so shocks heat the gas.
//   E - |m|^2 / (2 rho) <= eta1 E: enforce() sets E from S. Only here is the total energy not conserved.
//
// Uniform entropy stays uniform to rounding: S is transported as the density is. Usable in device code.

#include "physics/euler/terms.hpp"
#include "solvers/power.hpp"

namespace meander::euler {

template <int D>
struct DualEnergyTerms : Terms<D> {
  using Gas = Terms<D>;
  using Gas::energy, Gas::gamma, Gas::momentum_squared;
  static constexpr int unknowns = D + 3, entropy = D + 2;
  // A run of cold gas does not justify the compile time of kernels for each patch size.
  static constexpr bool specialised_by_patch_size = false;
  static constexpr double eta1 = 1e-3, eta2 = 0.1;

  using Gas::Gas;

  template <class T>
  MEANDER_TERM void auxiliary(const T* q, T* a) const {
    const T volume = T(1.0) / q[0];
    for (int axis = 0; axis < D; ++axis) a[axis] = q[1 + axis] * volume;
    a[Gas::pressure] = pressure_of(q, momentum_squared(q) * volume);
    a[Gas::sound] = sqrt(T(gamma) * a[Gas::pressure] * volume);
  }

  static constexpr int device_quantities = D + 2;  // as Terms
  MEANDER_TERM double quantity(int k, const double* q) const {
    if (k < D) return q[1 + k] / q[0];
    double a[Gas::auxiliaries];
    auxiliary(q, a);
    return a[k];
  }

  template <class T>
  MEANDER_TERM void flux(const T* q, const T* a, int axis, T* f) const {
    Gas::flux(q, a, axis, f);
    f[entropy] = a[axis] * q[entropy];
  }

  // Primitive variables: rho, velocity (D), p, entropy p / rho^gamma.
  template <class T>
  MEANDER_TERM void primitive(const T* q, T* w) const {
    const T volume = T(1.0) / q[0];
    w[0] = q[0];
    for (int a = 0; a < D; ++a) w[1 + a] = q[1 + a] * volume;
    w[energy] = pressure_of(q, momentum_squared(q) * volume);
    w[entropy] = q[entropy] * volume;
  }

  template <class T>
  MEANDER_TERM void conserved(const T* w, T* q) const {
    Gas::conserved(w, q);
    q[entropy] = w[0] * w[entropy];
  }

  template <class T>
  MEANDER_TERM auto admissible_primitive(const T* w) const {
    return Gas::admissible_primitive(w) && w[entropy] > T(0.0);
  }

  template <class T>
  MEANDER_TERM auto steep(const T* w, const T* change) const {
    return Gas::steep(w, change) || T(1.0 / 16) * w[entropy] < change[entropy];
  }

  template <class T>
  MEANDER_TERM void predict(const T* w, const T* dw, T ratio, T* out) const {
    Gas::template predict_advecting<unknowns>(w, dw, ratio, out);
  }

  template <class T>
  MEANDER_TERM void source_before(const T* q, const T* x, double t, double dt,
                                  const SphericalGravity& gravity, T* s) const {
    Gas::source_before(q, x, t, dt, gravity, s);
    s[entropy] = T(0.0);
  }
  template <class T>
  MEANDER_TERM void source(const T* q, const T* x, double t, double dt, const SphericalGravity& gravity,
                           T* s) const {
    Gas::source(q, x, t, dt, gravity, s);
    s[entropy] = T(0.0);
  }

  // True if density, energy and entropy are positive and the momentum is finite: a convex set. False for NaN.
  template <class T>
  MEANDER_TERM auto admissible(const T* q) const {
    constexpr double largest = 1.7976931348623157e308;
    return q[0] > T(0.0) && q[energy] > T(0.0) && q[entropy] > T(0.0) && momentum_squared(q) <= T(largest);
  }

  MEANDER_HOST_DEVICE bool enforces() const { return true; }

  // Raises the density first, at fixed momentum, energy and entropy density; then makes the energies consistent; then
  // raises the pressure in both.
  template <class T>
  MEANDER_TERM auto enforce(T* q) const {
    const auto thin = q[0] < T(this->density_floor);
    q[0] = select(thin, T(this->density_floor), q[0]);
    const T twice_kinetic = momentum_squared(q) / q[0], compression = power(q[0], gamma - 1.0);
    const T by_energy = thermal(q, twice_kinetic),
            by_entropy = T(1.0 / (gamma - 1.0)) * (q[entropy] * compression);
    const auto starved = by_energy <= T(eta1) * q[energy];
    const auto trusted = by_energy > T(eta2) * q[energy] || q[entropy] <= T(0.0);
    const T found = select(starved, by_entropy, by_energy), coldest = T(this->pressure_floor / (gamma - 1.0));
    const auto cold = found < coldest;
    const T kept = select(cold, coldest, found);
    q[energy] = select(starved || cold, fma(T(0.5), twice_kinetic, kept), q[energy]);
    q[entropy] = select(trusted || cold, T(gamma - 1.0) * kept / compression, q[entropy]);
    return thin || cold;
  }

  // Sets S from the other unknowns.
  MEANDER_HOST_DEVICE void complete(double* q) const {
    q[entropy] = (gamma - 1.0) * thermal(q, momentum_squared(q) / q[0]) / power(q[0], gamma - 1.0);
  }

 private:
  // The internal energy density by E.
  template <class T>
  MEANDER_TERM static T thermal(const T* q, T twice_kinetic) {
    return fma(T(-0.5), twice_kinetic, q[energy]);
  }
  // A NaN in E gives NaN.
  template <class T>
  MEANDER_TERM T pressure_of(const T* q, T twice_kinetic) const {
    const T by_energy = thermal(q, twice_kinetic), hot = T(gamma - 1.0) * by_energy;
    const auto starved = by_energy <= T(eta1) * q[energy];
    if (!any(starved)) return hot;  // hot gas is spared the power
    return select(starved, q[entropy] * power(q[0], gamma - 1.0), hot);
  }
};

}  // namespace meander::euler
