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
//   E - |m|^2 / (2 rho) <= eta1 E: enforce() sets E from S. Only here is the total energy not conserved. Entropies of dense and
//     thin gas do not mix as pressures do: the internal energy that S gives is at most eta2 E.
//
// What is prolonged from cold gas takes its E from S, too: the slopes of E and of the momentum may contradict each other by more
// than eta1 E. Enzo (Bryan et al. 2014, ApJS 211, 19) does so wherever it interpolates, in hot gas, too.
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
    Gas::auxiliary_of(q, volume, pressure_of(q, momentum_squared(q) * volume), a);
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

  // For the velocity: a sixteenth of the root of its square and the isothermal sound speed's. The pressure need not stay
  // positive, and what has to, density, energy and entropy, changes by a quarter at most. By its sound speed alone cold
  // gas would be steep everywhere.
  template <class T>
  MEANDER_TERM auto steep(const T* w, const T* change) const {
    return !(Gas::calm(w, change) && change[entropy] < T(Gas::part) * w[entropy] &&
             Gas::swift(change) * w[0] < T(Gas::part * Gas::part) * fma(w[0], Gas::swift(w), w[energy]));
  }

  template <class T>
  MEANDER_TERM void add_quasilinear(const T* w, const T* dw, int axis, T* sum) const {
    Gas::template add_advecting<unknowns>(w, dw, axis, sum);
  }

  // True if density, energy and entropy are positive and the momentum is finite: a convex set. False for NaN.
  template <class T>
  MEANDER_TERM auto admissible(const T* q) const {
    return q[0] > T(0.0) && q[energy] > T(0.0) && q[entropy] > T(0.0) &&
           momentum_squared(q) <= T(Gas::largest);
  }

  MEANDER_HOST_DEVICE bool enforces() const { return true; }

  // Raises the density first, as Terms, at fixed entropy density; then makes the energies consistent; then
  // raises the pressure in both.
  template <class T>
  MEANDER_TERM auto enforce(T* q) const {
    T unused[Gas::auxiliaries];
    return enforce(q, unused);
  }
  // Gives the auxiliaries of the new state, too, as auxiliary() does.
  template <class T>
  MEANDER_TERM auto enforce(T* q, T* a) const {
    const auto thin = q[0] < T(this->density_floor);
    q[0] = select(thin, T(this->density_floor), q[0]);
    const T volume = T(1.0) / q[0];
    T twice_kinetic = momentum_squared(q) * volume;
    const Compression<T> by = compression(q[0]);
    const T by_energy = thermal(q, twice_kinetic), most = T(eta2) * q[energy],
            by_entropy = T(1.0 / (gamma - 1.0)) * (q[entropy] * by.factor);
    Gas::rest(q, twice_kinetic, thin && by_energy < T(0.0));
    const auto lost = q[entropy] <= T(0.0), cold_gas = starved(q, by_energy) && !lost;
    const auto trusted = by_energy > most || lost || (cold_gas && by_entropy > most);
    const T found = select(cold_gas, min(by_entropy, most), by_energy),
            coldest = T(this->pressure_floor / (gamma - 1.0));
    const auto cold = found < coldest;
    const T held = select(cold, coldest, found);
    q[energy] = select(cold_gas || cold, fma(T(0.5), twice_kinetic, held), q[energy]);
    q[entropy] = select(trusted || cold, T(gamma - 1.0) * held * by.inverse, q[entropy]);
    const T left = thermal(q, twice_kinetic);
    Gas::auxiliary_of(q, volume, select(starved(q, left), q[entropy] * by.factor, T(gamma - 1.0) * left), a);
    return thin || cold;
  }

  // Of prolonged states (pde.hpp).
  static constexpr int redundant = energy;
  MEANDER_TERM bool is_redundant(const double* coarse) const {
    return starved(coarse, thermal(coarse, momentum_squared(coarse) * (1.0 / coarse[0])));
  }
  MEANDER_TERM double from_others(const double* q) const {
    const double by_entropy = 1.0 / (gamma - 1.0) * (q[entropy] * compression(q[0]).factor);
    return fma(0.5, momentum_squared(q) * (1.0 / q[0]), min(by_entropy, eta2 * q[energy]));
  }

  // Sets S from the other unknowns.
  MEANDER_HOST_DEVICE void complete(double* q) const {
    q[entropy] = (gamma - 1.0) * thermal(q, momentum_squared(q) * (1.0 / q[0])) * compression(q[0]).inverse;
  }

 private:
  // rho^(gamma - 1): the pressure of an entropy density S is S times that.
  template <class T>
  struct Compression {
    T factor, inverse;
  };
  template <class T>
  MEANDER_TERM Compression<T> compression(const T& rho) const {
    if (gamma == 5.0 / 3) {
      const T root = inverse_cube_root(rho);
      return {rho * root, root * root};
    }
    const T factor = power(rho, gamma - 1.0);
    return {factor, T(1.0) / factor};
  }
  // The internal energy density by E.
  template <class T>
  MEANDER_TERM static T thermal(const T* q, T twice_kinetic) {
    return fma(T(-0.5), twice_kinetic, q[energy]);
  }
  // Whether that is too small a part of E to be accurate.
  template <class T>
  MEANDER_TERM static auto starved(const T* q, const T& by_energy) {
    return by_energy <= T(eta1) * q[energy];
  }
  // A NaN in E gives NaN.
  template <class T>
  MEANDER_TERM T pressure_of(const T* q, T twice_kinetic) const {
    const T by_energy = thermal(q, twice_kinetic), hot = T(gamma - 1.0) * by_energy;
    const auto cold = starved(q, by_energy);
    if (!any(cold)) return hot;  // hot gas is spared the power
    return select(cold, q[entropy] * compression(q[0]).factor, hot);
  }
};

}  // namespace meander::euler
