// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What an equation provides so that the patch kernels can be built from it. The user writes the terms as
// plain function templates over the value type T; the kernels call them ("don't call us"): with packs on the
// CPU, double on the GPU, dual numbers in tests. Trivially copyable: parameters travel to a device as they
// are.
//
//   dQ/dt + sum over a of d flux(Q, a)/dx_a + ncp(Q, dQ/dx_a, a) = source(Q, x, t)
//
// An equation is a class template over the dimension with
//   static constexpr int dim, unknowns (N);
//   static constexpr int auxiliaries (A): values computed once a volume and handed to the terms, 0 for none;
//   static constexpr bool has_flux, has_ncp, has_source: a term that is absent costs nothing and need not be
//   written; struct StepData: what source() reads beside the state; trivially copyable;
// and, for every value type T, with Q, A, F pointing at N, A, N values of one volume:
//   void auxiliary(const T* q, T* a);
//   T max_eigenvalue(const T* q, const T* a, int axis): largest |eigenvalue| of flux and ncp together;
//   void flux(const T* q, const T* a, int axis, T* f);
//   void ncp(const T* q, const T* gradient, int axis, T* b): B_axis(q) * gradient, of N unknowns along one
//   axis; bool source_on(const StepData&): false skips the source for a whole step; void source(const T* q,
//   const T* x, double t, double dt, const StepData&, T* s); auto admissible(const T* q): mask of the states
//   the equation accepts; false for NaN; bool enforces(): whether floors are set at all; auto enforce(T* q):
//   lifts a state to its floors; mask of those it changed.

#include <concepts>
#include <type_traits>

namespace meander::solvers {

// Step data of an equation whose source needs none.
struct NoStepData {};

template <class P>
concept Pde = std::is_trivially_copyable_v<P> && std::is_trivially_copyable_v<typename P::StepData> &&
              (P::dim == 2 || P::dim == 3) &&
              (P::unknowns > 0) && (P::auxiliaries >= 0) && (P::has_flux || P::has_ncp) &&
              requires(const P& pde, const double* in, double* out, int axis) {
  { pde.max_eigenvalue(in, in, axis) } -> std::convertible_to<double>;
  { pde.admissible(in) } -> std::convertible_to<bool>;
}
&&(P::auxiliaries == 0 || requires(const P& pde, const double* q, double* a) { pde.auxiliary(q, a); }) &&
    (!P::has_flux || requires(const P& pde, const double* in, double* f) { pde.flux(in, in, 0, f); }) &&
    (!P::has_ncp || requires(const P& pde, const double* in, double* b) { pde.ncp(in, in, 0, b); }) &&
    (!P::has_source || requires(const P& pde, const double* in, double* s, const typename P::StepData& step) {
      { pde.source_on(step) } -> std::convertible_to<bool>;
      pde.source(in, in, 0.0, 0.0, step, s);
    });

// An equation with floors.
template <class P>
concept Floored = Pde<P> && requires(const P& pde, double* q) {
  { pde.enforces() } -> std::convertible_to<bool>;
  { pde.enforce(q) } -> std::convertible_to<bool>;
};

// An equation with bounds that a healthy state stays far from.
template <class P>
concept Watched = Floored<P> && requires(const P& pde, const double* q, double& value) {
  { pde.strays(q) } -> std::convertible_to<bool>;  // beyond a bound that is no floor
  {
    pde.breach(q, value)
    } -> std::same_as<int>;  // the last of the bounds that q is beyond, and the value; or -1
};

// An equation that can be reconstructed in primitive variables W (N of them).
template <class P>
concept Reconstructible = Pde<P> && P::has_flux && !P::has_ncp &&
                          requires(const P& pde, const double* in, double* out, double ratio) {
  pde.primitive(in, out);            // Q to W
  pde.conserved(in, out);            // W to Q
  pde.primitive_auxiliary(in, out);  // W to the auxiliaries
  { pde.admissible_primitive(in) } -> std::convertible_to<bool>;
  // W + ratio * (sum over axes of A_axis(W) dw[axis * N + n])
  pde.predict(in, in, ratio, out);
};

// An equation that knows how waves leave: radiate(at, x, enter) gives dQ/dt at x, from which waves travel
// outwards only, to enter(n, rate), from at.value(n) and at.slope(axis, n) (radiative.hpp).
template <class P>
concept Radiating = Pde<P> && P::radiates;

// An equation whose non-conservative products along all axes and source are evaluated together, so that what
// they share is computed once: dQ/dt from the derivatives gradient[axis * N + n].
template <class P>
concept FusedRhs = Pde<P> && !P::has_flux && requires(const P& pde, const double* in, double* out) {
  pde.rates(in, in, out);
};

}  // namespace meander::solvers
