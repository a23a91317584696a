// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The terms of an equation at one point, for comparison with other codes. They are the terms from which the
// patch kernels are built.

#include <functional>
#include <string>
#include <vector>

#include "solvers/pde.hpp"

namespace meander::solvers {

struct PointTerms {
  int dim = 3;
  int unknowns = 0;
  bool needs_gradient = true;
  std::vector<std::string> results;  // "rate of u", "flux of u along x", "largest wave speed"
  // q: `unknowns` values. gradient[axis * unknowns + n] = dQ_n/dx_axis; may be null if not needed. values:
  // one number for each of the results. Accepts any numbers without checking them.
  std::function<void(const double* q, const double* gradient, double* values)> evaluate;
};

// For an equation with fluxes, the results are the fluxes along each axis and the largest wave speed over all
// axes. Otherwise they are dQ/dt from non-conservative products and source together, by rates(). A source in
// addition to a flux, such as the gravity of a scenario, is not included.
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
        // This comparison keeps a NaN.
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
