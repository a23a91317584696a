// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A sufficient condition on the face states of one volume for an admissible new state, whatever the admissible states on
// the other sides of its faces are. It depends on this volume's face states only, so the patches on both sides of a face
// agree without a message. The idea is that of Perthame and Shu (1996, Numer. Math. 73, 119) and Berthon (2006, Numer.
// Math. 104, 27): a new state is a sum of states in a convex cone. Usable in device code.
//
// A Riemann solver bounds the flux F between a state q and any other state (riemann.hpp): through an upper face
// F = outflow(q) - x, through a lower face F = x - outflow(q), where x is in the cone. The new state is then a sum of
// elements of the cone and of the remainder
//
//   R = Q - dt / dx * (sum over all faces of outflow(state at the face)),
//
// and is admissible if R is. For a uniform state R is in the cone up to the Courant number Flux::bounded_courant, in the sum
// over the axes; a longer step is examined as if it had that number, which is no proof any more. A volume with its own
// state at its faces is one of Godunov's method, which needs no such examination.

#include "solvers/riemann.hpp"

namespace meander::solvers {

// The admissible states of the equation form a convex cone: sums and positive multiples of admissible states are
// admissible.
template <class P>
concept AdmissibleCone = Reconstructible<P> && requires(const P& pde, const double* w) {
  requires P::admissible_cone;
  // Whether face states differ so much from that of their volume, by at most the second argument in each variable, that
  // the new state has to be examined.
  { pde.steep(w, w) } -> std::convertible_to<bool>;
};

template <class Flux, class P>
concept BoundedFlux = AdmissibleCone<P> && requires(const P& pde, const double* in, double* out) {
  { Flux::bounded_courant } -> std::convertible_to<double>;
  Flux::outflow(pde, in, in, 0, 1.0, out);
};

// Part of a volume's state that is kept for losses to neighbours which are faster than its own face states: a Riemann solver
// takes its speeds from both sides.
inline constexpr double reserve = 0.2;

// A volume's face states: predicted - offset[axis] at its lower face, + at its upper. face = 2 * axis + side.
template <int N, class V>
MEANDER_TERM void face_state(const V* predicted, const V (*offset)[N], int face, V* state) {
  for (int n = 0; n < N; ++n)
    state[n] = face % 2 == 0 ? predicted[n] - offset[face / 2][n] : predicted[n] + offset[face / 2][n];
}

// Whether all face states are admissible.
template <Reconstructible P, class V>
MEANDER_TERM auto admissible_faces(const P& pde, const V* predicted, const V (*offset)[P::unknowns]) {
  auto good = V(0.0) < V(1.0);
  for (int face = 0; face < 2 * P::dim; ++face) {
    V state[P::unknowns];
    face_state<P::unknowns>(predicted, offset, face, state);
    good = good && pde.admissible_primitive(state);
  }
  return good;
}

// Whether a volume may use its face states. w: its primitive variables. ratio: dt / dx. wanted(): the lanes whose
// result is read. Equations and Riemann solvers without the bound require admissible face states only. Those of a volume
// that is not steep are admissible.
template <class Flux, Reconstructible P, class V, class Wanted>
MEANDER_TERM auto stays_admissible(const P& pde, const V* w, const V* predicted,
                                   const V (*offset)[P::unknowns], double ratio, const Wanted& wanted) {
  constexpr int N = P::unknowns, A = P::auxiliaries;
  if constexpr (BoundedFlux<Flux, P>) {
    const V zero(0.0), most(1.0 + 1e-9);  // a Courant number of 1 may be rounded up
    V rest[N], a[A + 1], speed = zero;
    for (int n = 0; n < N; ++n) {
      V largest = larger_magnitude(offset[0][n], offset[1][n]);
      if constexpr (P::dim == 3) largest = larger_magnitude(largest, offset[2][n]);
      rest[n] = largest + abs(predicted[n] - w[n]);
    }
    const auto steep = pde.steep(w, rest);
    // Halo between the rows of a flattened plane is often steep.
    if (!any(steep) || !any(steep && wanted())) return zero < most;
    pde.conserved(w, rest);
    pde.primitive_auxiliary(w, a);
    for (int axis = 0; axis < P::dim; ++axis) speed = speed + pde.max_eigenvalue(rest, a, axis);
    for (int n = 0; n < N; ++n) rest[n] = V(1.0 - reserve) * rest[n];
    const V step = min(V(ratio), V(Flux::bounded_courant) / speed);
    speed = zero;
    auto good = zero < most;
    for (int axis = 0; axis < P::dim; ++axis) {
      V fastest = zero;
      for (int side = 0; side < 2; ++side) {
        V state[N], q[N];
        face_state<N>(predicted, offset, 2 * axis + side, state);
        good = good && pde.admissible_primitive(state);
        pde.conserved(state, q);
        pde.primitive_auxiliary(state, a);
        Flux::outflow(pde, q, a, axis, side == 0 ? -1.0 : 1.0, state);
        for (int n = 0; n < N; ++n) rest[n] = fma(-step, state[n], rest[n]);
        fastest = max(fastest, pde.max_eigenvalue(q, a, axis));
      }
      speed = speed + fastest;
    }
    return !steep || (good && V(ratio) * speed <= most && pde.admissible(rest));
  } else {
    return admissible_faces(pde, predicted, offset);
  }
}

}  // namespace meander::solvers
