// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Base class for a conservation law without source, defined by its flux and its wave speed alone:
//
//   template <int D>
//   struct Advection : solvers::ConservationLaw<Advection, D, 1, Wind> {
//     template <class T> MEANDER_TERM void flux(const T* q, const T*, int axis, T* f) const;
//     template <class T> MEANDER_TERM T max_eigenvalue(const T* q, const T*, int axis) const;
//   };
//
// It provides all other members that solvers/pde.hpp requires, for both schemes. A law may redeclare any of
// them, in particular admissible() if not every finite state is valid. Usable in device code.

#include "solvers/math.hpp"
#include "solvers/pde.hpp"

namespace meander::solvers {

// Parameters of a law without parameters.
struct NoParameters {};

// Params: trivially copyable, the same type for every D. The law's terms read it as this->parameters.
template <template <int> class Law, int D, int N, class Params = NoParameters>
struct ConservationLaw {
  using Parameters = Params;
  using StepData = NoStepData;
  static constexpr int dim = D, unknowns = N, auxiliaries = 0;
  static constexpr bool has_flux = true, has_ncp = false, has_source = false;

  Params parameters;

  // True if all unknowns are finite.
  template <class T>
  MEANDER_TERM auto admissible(const T* q) const {
    constexpr double largest = 1.7976931348623157e308;
    auto good = abs(q[0]) <= T(largest);
    for (int n = 1; n < N; ++n) good = good && abs(q[n]) <= T(largest);
    return good;
  }

  // MUSCL-Hancock reconstructs the unknowns themselves.
  template <class T>
  MEANDER_TERM void primitive(const T* q, T* w) const {
    for (int n = 0; n < N; ++n) w[n] = q[n];
  }
  template <class T>
  MEANDER_TERM void conserved(const T* w, T* q) const {
    for (int n = 0; n < N; ++n) q[n] = w[n];
  }
  template <class T>
  MEANDER_TERM void primitive_auxiliary(const T*, T*) const {}
  template <class T>
  MEANDER_TERM auto admissible_primitive(const T* w) const {
    return law().admissible(w);
  }

  // By half the flux difference between a volume's faces (Toro 2009, equation 14.43), which equals A dW up to O(dW^3).
  template <class T>
  MEANDER_TERM void add_quasilinear(const T* w, const T* dw, int axis, T* sum) const {
    T low[N], high[N], out_of_low[N], out_of_high[N];
    for (int n = 0; n < N; ++n) {
      low[n] = w[n] - dw[n];
      high[n] = w[n] + dw[n];
    }
    law().flux(low, low, axis, out_of_low);
    law().flux(high, high, axis, out_of_high);
    for (int n = 0; n < N; ++n) sum[n] = fma(T(0.5), out_of_high[n] - out_of_low[n], sum[n]);
  }

 private:
  MEANDER_TERM const Law<D>& law() const { return static_cast<const Law<D>&>(*this); }
};

}  // namespace meander::solvers
