// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Riemann solvers: the flux through one face from the states on its two sides, for any value type. Usable in
// device code. A Riemann solver is a class with these members:
//
//   // Its name in the input file.
//   static constexpr const char* word;
//   // Its description in the documentation of the input file.
//   static constexpr const char* meaning;
//   // Twice the flux between the lower state ql and the upper state qr, with auxiliaries al and ar.
//   // face[0]: for the volume below. face[1]: for the volume above, written only for equations with a
//   // non-conservative product; otherwise both volumes take face[0].
//   template <Pde P, class V>
//   static void through(const P&, const V* ql, const V* al, const V* qr, const V* ar, int axis,
//                       V (*face)[P::unknowns]);
//
// One that keeps states admissible (positivity.hpp) also has:
//
//   // What a volume with state q loses at most through its upper (sign = 1) or lower (sign = -1) face, per area and
//   // time.
//   template <class P, class V>
//   static void outflow(const P&, const V* q, const V* a, int axis, double sign, V* out);
//   // The Courant number up to which a uniform state exceeds its losses.
//   static constexpr double bounded_courant;
//
// RusanovFlux serves any equation. An equation may define others (P::RiemannSolvers, scheme.hpp).

#include "solvers/math.hpp"
#include "solvers/pde.hpp"

namespace meander::solvers {

// Rusanov's flux, also called local Lax-Friedrichs (Toro 2009, section 10.5.1):
//   g = (F(Ql) + F(Qr)) / 2 - lambda (Qr - Ql) / 2,  lambda = max(lambda(Ql), lambda(Qr)).
// A non-conservative product adds the fluctuations g +- B((Ql + Qr) / 2) (Qr - Ql) / 2 on its two sides.
struct RusanovFlux {
  static constexpr const char* word = "rusanov";
  static constexpr const char* meaning = "two waves with the largest wave speed";

  template <Pde P, class V>
  MEANDER_TERM static void through(const P& pde, const V* ql, const V* al, const V* qr, const V* ar, int axis,
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

  // The flux is (F(Q) + lambda Q) / 2 minus a state that is in the cone, too.
  template <Pde P, class V>
  MEANDER_TERM static void outflow(const P& pde, const V* q, const V* a, int axis, double sign, V* out) {
    const V speed = pde.max_eigenvalue(q, a, axis), half(0.5);
    V f[P::unknowns];
    pde.flux(q, a, axis, f);
    for (int n = 0; n < P::unknowns; ++n) out[n] = half * fma(speed, q[n], V(sign) * f[n]);
  }
  static constexpr double bounded_courant = 0.75;
};

// Twice the flux between two states in primitive variables, for an equation without non-conservative product.
template <class Flux, Reconstructible P, class V>
MEANDER_TERM void primitive_flux(const P& pde, const V* wl, const V* wr, int axis, V* flux) {
  constexpr int N = P::unknowns, A = P::auxiliaries;
  V ql[N], qr[N], al[A + 1], ar[A + 1], face[1][N];
  pde.conserved(wl, ql);
  pde.conserved(wr, qr);
  pde.primitive_auxiliary(wl, al);
  pde.primitive_auxiliary(wr, ar);
  Flux::through(pde, ql, al, qr, ar, axis, face);
  for (int n = 0; n < N; ++n) flux[n] = face[0][n];
}

// The sum over axes of the largest |eigenvalue|. a: the auxiliaries.
template <Pde P, class V>
MEANDER_TERM V rate(const P& pde, const V* q, const V* a) {
  V sum = pde.max_eigenvalue(q, a, 0);
  for (int axis = 1; axis < P::dim; ++axis) sum = sum + pde.max_eigenvalue(q, a, axis);
  return sum;
}
template <Pde P, class V>
MEANDER_TERM V rate(const P& pde, const V* q) {
  V a[P::auxiliaries > 0 ? P::auxiliaries : 1];
  if constexpr (P::auxiliaries > 0) pde.auxiliary(q, a);
  return rate(pde, q, a);
}

}  // namespace meander::solvers
