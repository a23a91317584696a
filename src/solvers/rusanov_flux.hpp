// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The Rusanov flux through one face, and the sum of wave speeds of one volume, for any value type. Usable in
// device code.

#include "solvers/math.hpp"
#include "solvers/pde.hpp"

namespace meander::solvers {

// Twice the flux through a face as the volume below (face[0]) and the one above it (face[1], if there is a
// non-conservative product; else both see the same) see it.
template <Pde P, class V>
MEANDER_TERM void rusanov_flux(const P& pde, const V* ql, const V* al, const V* qr, const V* ar, int axis,
                               V (*face)[P::unknowns]) {
  constexpr int N = P::unknowns;
  const V speed = max(pde.max_eigenvalue(ql, al, axis), pde.max_eigenvalue(qr, ar, axis));
  V fl[N], fr[N], jump[N];
  if constexpr (P::has_flux) {
    pde.flux(ql, al, axis, fl);
    pde.flux(qr, ar, axis, fr);
  }
  for (int n = 0; n < N; ++n) {
    jump[n] = qr[n] - ql[n];
    if constexpr (P::has_flux) {
      face[0][n] = fma(-speed, jump[n], fl[n] + fr[n]);
    } else {
      face[0][n] = -speed * jump[n];
    }
  }
  if constexpr (P::has_ncp) {
    V mean[N], product[N];
    for (int n = 0; n < N; ++n) mean[n] = V(0.5) * (ql[n] + qr[n]);
    pde.ncp(mean, jump, axis, product);
    for (int n = 0; n < N; ++n) {
      face[1][n] = face[0][n] - product[n];
      face[0][n] = face[0][n] + product[n];
    }
  }
}

// The same between two states in primitive variables, of an equation without non-conservative product.
template <Reconstructible P, class V>
MEANDER_TERM void primitive_rusanov_flux(const P& pde, const V* wl, const V* wr, int axis, V* flux) {
  constexpr int N = P::unknowns, A = P::auxiliaries;
  V ql[N], qr[N], al[A + 1], ar[A + 1], face[1][N];
  pde.conserved(wl, ql);
  pde.conserved(wr, qr);
  pde.primitive_auxiliary(wl, al);
  pde.primitive_auxiliary(wr, ar);
  rusanov_flux(pde, ql, al, qr, ar, axis, face);
  for (int n = 0; n < N; ++n) flux[n] = face[0][n];
}

// Sum over axes of the largest |eigenvalue|.
template <Pde P, class V>
MEANDER_TERM V rate(const P& pde, const V* q) {
  V a[P::auxiliaries > 0 ? P::auxiliaries : 1];
  if constexpr (P::auxiliaries > 0) pde.auxiliary(q, a);
  V sum = pde.max_eigenvalue(q, a, 0);
  for (int axis = 1; axis < P::dim; ++axis) sum = sum + pde.max_eigenvalue(q, a, axis);
  return sum;
}

}  // namespace meander::solvers
