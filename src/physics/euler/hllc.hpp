// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// HLLC for the Euler equations (Toro 2009, section 10.4; Toro, Spruce and Speares 1994): two acoustic waves
// and the contact between them.
//
// The outer speeds are the extremes of u -+ c of both states (Davis 1988). Each state lies at least its own
// sound speed inside them, so density and pressure stay positive (Batten, Clarke, Lambert and Causon 1997),
// also where two rarefactions leave a near-vacuum. The flux between the outer waves is computed as S* U* + p*
// D, not as F + S (U* - U), which is equal in exact arithmetic: a stationary contact has S* = 0 and is
// preserved bitwise. p* is the mean of the values from both sides, so mirrored states have mirrored fluxes.
// Usable in device code.

#include "solvers/math.hpp"

namespace meander::euler {

struct Hllc {
  static constexpr const char* word = "hllc";
  static constexpr const char* meaning =
      "three waves including the contact, for sharper shear layers and contacts";

  template <class P, class V>
  MEANDER_TERM static void through(const P& pde, const V* ql, const V* al, const V* qr, const V* ar, int axis,
                                   V (*face)[P::unknowns]) {
    constexpr int N = P::unknowns, energy = P::energy, pressure = P::pressure, sound = P::sound;
    const V zero(0.0), half(0.5);
    const V ul = al[axis], ur = ar[axis], pl = al[pressure], pr = ar[pressure];
    const V slowest = min(ul - al[sound], ur - ar[sound]), fastest = max(ul + al[sound], ur + ar[sound]);
    // Mass per time and area swept by each outer wave; both positive.
    const V ml = ql[0] * (ul - slowest), mr = qr[0] * (fastest - ur);
    const V contact = (ml * ul + mr * ur + (pl - pr)) / (ml + mr);
    const V between = half * ((pl + ml * (ul - contact)) + (pr + mr * (contact - ur)));

    // The state next to the contact on the side of the face.
    const auto left = zero <= contact;
    const V density = select(left, ml / (contact - slowest), mr / (fastest - contact));
    const V weight = density / select(left, ql[0], qr[0]);
    const V u = select(left, ul, ur), p = select(left, pl, pr);
    const V swept = select(left, slowest - ul, fastest - ur);  // S - u of that side
    V star[N];
    for (int n = 0; n < N; ++n) star[n] = weight * select(left, ql[n], qr[n]);
    star[1 + axis] = density * contact;
    star[energy] =
        star[energy] + density * (contact - u) * (contact + p / (select(left, ql[0], qr[0]) * swept));

    V fl[N], fr[N];
    pde.flux(ql, al, axis, fl);
    pde.flux(qr, ar, axis, fr);
    for (int n = 0; n < N; ++n) {
      V flux = contact * star[n];
      if (n == 1 + axis) flux = flux + between;
      if (n == energy) flux = flux + contact * between;
      flux = select(zero <= slowest, fl[n], select(fastest <= zero, fr[n], flux));
      face[0][n] = flux + flux;
    }
  }

  // The flux is F(Q) + S (U* - Q), where S <= 0 is the speed of the wave that enters the volume, and U* is admissible.
  template <class P, class V>
  MEANDER_TERM static void outflow(const P& pde, const V* q, const V* a, int axis, double sign, V* out) {
    const V entering = max(V(0.0), a[P::sound] - V(sign) * a[axis]);
    V f[P::unknowns];
    pde.flux(q, a, axis, f);
    for (int n = 0; n < P::unknowns; ++n) out[n] = fma(entering, q[n], V(sign) * f[n]);
  }
  static constexpr double bounded_courant = 0.35;
};

}  // namespace meander::euler
