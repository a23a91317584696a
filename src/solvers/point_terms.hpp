// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What an equation's terms, the very ones that the patch kernels are built from, give at one point: for those
// who hold them against other codes.

#include <functional>
#include <string>
#include <vector>

#include "solvers/pde.hpp"

namespace meander::solvers {

struct PointTerms {
  int dim = 3;
  int unknowns = 0;
  bool needs_gradient = true;
  std::vector<std::string> results;  // "rate of g_xx", "flux of density along x", "largest wave speed"
  // q: `unknowns` values; gradient[axis * unknowns + n] = dQ_n/dx_axis, null where it is not needed and not
  // at hand; values: one for each of the results. Accepts any numbers, and gives what comes out.
  std::function<void(const double* q, const double* gradient, double* values)> evaluate;
};

// With fluxes: those along each axis, then the largest wave speed of all axes. Without: dQ/dt, to which
// non-conservative products and source, as rates() evaluates them together, contribute. Euler's source, the
// gravity of a scenario, is none of the equation's own.
template <Pde P>
PointTerms point_terms(const P& pde, const std::vector<std::string>& names) {
  static_assert(P::has_flux || FusedRhs<P>);
  static constexpr int N = P::unknowns;
  PointTerms terms{P::dim, N, !P::has_flux, {}, {}};
  if constexpr (P::has_flux) {
    for (int axis = 0; axis < P::dim; ++axis) {
      for (const std::string& name : names)
        terms.results.push_back("flux of " + name + " along " + "xyz"[axis]);
    }
    terms.results.push_back("largest wave speed");
    terms.evaluate = [pde](const double* q, const double*, double* values) {
      double a[P::auxiliaries + 1];
      if constexpr (P::auxiliaries > 0) pde.auxiliary(q, a);
      double speed = pde.max_eigenvalue(q, a, 0);
      for (int axis = 0; axis < P::dim; ++axis) {
        pde.flux(q, a, axis, values + axis * N);
        // In this order a NaN stays.
        const double along = pde.max_eigenvalue(q, a, axis);
        speed = along <= speed ? speed : along;
      }
      values[P::dim * N] = speed;
    };
  } else {
    for (const std::string& name : names) terms.results.push_back("rate of " + name);
    terms.evaluate = [pde](const double* q, const double* gradient, double* values) {
      pde.rates(q, gradient, values);
    };
  }
  return terms;
}

}  // namespace meander::solvers
