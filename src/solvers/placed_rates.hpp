// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Equations with rates() whose coefficients may depend on the place.

#include "solvers/math.hpp"
#include "solvers/pde.hpp"

namespace meander::solvers {

// coefficients() are those of an equation that does not depend on the place in this run; otherwise
// coefficients_at(x) at each point. rates() takes them as an argument.
template <class P>
concept PlacedRates = FusedRhs<P> && requires(const P& pde, const double* in, double* out) {
  { pde.depends_on_place() } -> std::convertible_to<bool>;
  pde.rates(in, in, pde.template coefficients<double>(), out);
  pde.rates(in, in, pde.coefficients_at(in), out);
};

struct NoCoefficients {};

// The coefficients at a point. place(x) sets its three coordinates; it is called only if they matter.
template <class T, FusedRhs P, class Place>
MEANDER_TERM auto coefficients_at(const P& pde, const Place& place) {
  if constexpr (PlacedRates<P>) {
    auto coefficients = pde.template coefficients<T>();
    if (pde.depends_on_place()) {
      T x[3];
      place(x);
      coefficients = pde.coefficients_at(static_cast<const T*>(x));
    }
    return coefficients;
  } else {
    return NoCoefficients{};
  }
}

template <FusedRhs P, class T, class Coefficients>
MEANDER_TERM void rates_with(const P& pde, const Coefficients& coefficients, const T* q, const T* gradient,
                             T* rate) {
  if constexpr (PlacedRates<P>) {
    pde.rates(q, gradient, coefficients, rate);
  } else {
    pde.rates(q, gradient, rate);
  }
}

}  // namespace meander::solvers
