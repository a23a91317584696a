// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Concepts of an equation: the terms that the patch kernels are built from. The user writes the terms as
// function templates over the value type T. The kernels call them with SIMD packs on the CPU, double on the
// GPU and dual numbers in tests. An equation is trivially copyable: its parameters are copied to a device as
// they are.
//
//   dQ/dt + sum over a of d flux(Q, a)/dx_a + ncp(Q, dQ/dx_a, a) = source(Q, x, t)
//
// An equation is a class template over the dimension with these constants and types:
//
//   // 2 or 3.
//   static constexpr int dim;
//   // N.
//   static constexpr int unknowns;
//   // A: the number of auxiliary values; 0 for none.
//   static constexpr int auxiliaries;
//   // An absent term costs nothing and need not be written.
//   static constexpr bool has_flux, has_ncp, has_source;
//   // The data that source() reads in addition to the state; trivially copyable.
//   struct StepData;
//
// and these functions for every value type T, with q, a and f pointing to N, A and N values of one volume:
//
//   // The auxiliary values, computed once a volume and passed to the terms. Required if A > 0.
//   void auxiliary(const T* q, T* a);
//   // Largest |eigenvalue| of flux and non-conservative product together.
//   T max_eigenvalue(const T* q, const T* a, int axis);
//   void flux(const T* q, const T* a, int axis, T* f);
//   // b = B_axis(q) * gradient. gradient: derivatives of the N unknowns along `axis`.
//   void ncp(const T* q, const T* gradient, int axis, T* b);
//   // False: the whole step has no source.
//   bool source_on(const StepData&);
//   void source(const T* q, const T* x, double t, double dt, const StepData&, T* s);  // or SplitSource
//   // Mask of the states that the equation accepts; false for NaN.
//   auto admissible(const T* q);
//
// May be defined, too:
//
//   // An unknown of which a state that a volume's slopes continue has to keep a part: with next to
//   // nothing of it, it would be without bound faster than the volumes that limit the step.
//   static constexpr int kept;
//
//   // An unknown that follows from the others in some states. What is prolonged from such a state takes it from its own others,
//   // since the slopes of a redundant unknown may contradict theirs.
//   static constexpr int redundant;
//   bool is_redundant(const T* coarse);
//   T from_others(const T* q);
//
// An equation with floors (concept Floored) also has:
//
//   // Whether enforce() has to be called.
//   bool enforces();
//   // Raises a state to its floors. Returns the mask of the states that were below them. May also make redundant
//   // unknowns consistent.
//   auto enforce(T* q);
//   // May be defined, too: gives the auxiliaries of the new state, bitwise those of auxiliary().
//   auto enforce(T* q, T* a);

#include <concepts>
#include <type_traits>
#include <utility>

#include "solvers/math.hpp"

namespace meander::solvers {

// Step data of an equation whose source reads none.
struct NoStepData {};

// A source that is split about the fluxes of a step (Strang 1968, SIAM J. Numer. Anal. 5, 506): half of it changes the
// state, halo included, before the fluxes, and half after them. Copied for each patch.
//
//   // The numbers of values that the first half reads in a volume, and that are kept of a volume of the interior.
//   enum : int { first_values, kept_values };  // or static members, except in target regions of OpenMP with g++ 12
//   // Computes these values at x, which lies in the halo beyond the domain only if `beyond` is true. field(f) reads a
//   // field of the volume (Traits::fields) here and below.
//   void at(const T* x, bool beyond, const auto& field, T* first, T* kept);
//   // Whether `beyond` matters in a box.
//   bool reaches_beyond(const double* lower, const double* upper);
//   // The values of the first half from those kept. x lies within the domain here and below.
//   void first_of(const T* x, const auto& field, const T* kept, T* first);
//   // The first half, on unknowns and on the primitive variables of a reconstructible equation.
//   void before(T* q, const T* first);
//   void before_primitive(T* w, const T* first);
//   // The second half.
//   void after(T* q, const T* x, const auto& field, const T* kept);
template <class S>
concept SourceAboutFluxes = std::is_trivially_copyable_v<S> &&
    requires(const S& source, const double* in, double* out, double (*field)(int)) {
  { S::first_values } -> std::convertible_to<int>;
  { S::kept_values } -> std::convertible_to<int>;
  { source.reaches_beyond(in, in) } -> std::convertible_to<bool>;
  source.at(in, true, field, out, out);
  source.first_of(in, field, in, out);
  source.before(out, in);
  source.after(out, in, field, in);
};

// An equation with such a source, instead of source().
template <class P>
concept SplitSource = P::has_source && requires(const P& pde, const typename P::StepData& step) {
  { pde.split_source(step, 0.0) } -> SourceAboutFluxes;
};

// One whose source can be balanced at rest, where grad W[P::balanced] = W[P::weighed] times the fields, one for
// each axis: its split source has
//   // Whether it is. before_primitive() then changes nothing: the balance takes the place of that half in predictors.
//   bool balances();
// and the equation
//   // Adds to `sum` what add_quasilinear() adds for a change `rest` of W[P::balanced], but for what the source balances.
//   void add_balanced(const T* w, const T& rest, int axis, T* sum);
template <class P>
concept Balanced = SplitSource<P> &&
    requires(const P& pde, const typename P::StepData& step, const double* in, double* out) {
  { P::balanced } -> std::convertible_to<int>;
  { P::weighed } -> std::convertible_to<int>;
  pde.add_balanced(in, *in, 0, out);
  { pde.split_source(step, 0.0).balances() } -> std::convertible_to<bool>;
};

// The split source of an equation; an empty class for others.
struct NoSplitSource {
  enum : int { first_values = 0, kept_values = 0 };
};
template <class P>
struct SplitSourceOf {
  using type = NoSplitSource;
};
template <SplitSource P>
struct SplitSourceOf<P> {
  using type =
      decltype(std::declval<const P&>().split_source(std::declval<const typename P::StepData&>(), 0.0));
};

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
      requires SplitSource<P> || requires {
        pde.source(in, in, 0.0, 0.0, step, s);
      };
    });

// More than this part of P::kept is kept.
inline constexpr double kept_part = 0.25;

// Whether `q`, a continuation of the state `own` of a volume by its slopes, may be used beside it.
template <class P>
MEANDER_TERM bool continues(const P& pde, const double* own, const double* q) {
  if constexpr (requires { P::kept; }) {
    if (!(q[P::kept] > kept_part * own[P::kept])) return false;
  }
  return pde.admissible(q);
}

// An equation with a redundant unknown.
template <class P>
concept Redundant = Pde<P> && requires(const P& pde, const double* q) {
  { P::redundant } -> std::convertible_to<int>;
  { pde.is_redundant(q) } -> std::convertible_to<bool>;
  { pde.from_others(q) } -> std::convertible_to<double>;
};

// An equation with floors.
template <class P>
concept Floored = Pde<P> && requires(const P& pde, double* q) {
  { pde.enforces() } -> std::convertible_to<bool>;
  { pde.enforce(q) } -> std::convertible_to<bool>;
};

// One whose enforce() gives the auxiliaries of the new state.
template <class P>
concept FlooredWithAuxiliaries = Floored<P> && requires(const P& pde, double* q, double* a) {
  { pde.enforce(q, a) } -> std::convertible_to<bool>;
};

// An equation with bounds that resolved states stay well within.
template <class P>
concept Watched = Floored<P> && requires(const P& pde, const double* q, double& value) {
  // Whether q is beyond a bound that is not a floor.
  { pde.strays(q) } -> std::convertible_to<bool>;
  // Index of the last bound that q is beyond, and the value there; -1: within all bounds.
  { pde.breach(q, value) } -> std::same_as<int>;
};

// An equation that can be reconstructed in N primitive variables W.
template <class P>
concept Reconstructible = Pde<P> && P::has_flux && !P::has_ncp &&
                          requires(const P& pde, const double* in, double* out, double ratio) {
  // Q to W.
  pde.primitive(in, out);
  // W to Q.
  pde.conserved(in, out);
  // W to the auxiliaries.
  pde.primitive_auxiliary(in, out);
  { pde.admissible_primitive(in) } -> std::convertible_to<bool>;
  // Adds A_axis(W) dw, where W - dw and W + dw are the states at a volume's faces.
  pde.add_quasilinear(in, in, 0, out);
};

// An equation with a radiative boundary condition: radiate(at, x, enter) passes dQ/dt at point x, for
// outgoing waves only, to enter(n, rate). It reads at.value(n) and at.slope(axis, n) (radiative.hpp).
template <class P>
concept Radiating = Pde<P> && P::radiates;

// An equation whose source and non-conservative products along all axes are evaluated together, so that
// common subexpressions are computed once: rates() gives dQ/dt from the derivatives gradient[axis * N + n].
template <class P>
concept FusedRhs = Pde<P> && !P::has_flux && requires(const P& pde, const double* in, double* out) {
  pde.rates(in, in, out);
};

// One in three dimensions that assigns its rates to groups that are best computed together.
template <class P>
concept Grouped = FusedRhs<P> && P::dim == 3 && (P::rate_groups > 0) && requires(int n) {
  { P::rate_group(n) } -> std::convertible_to<int>;
};

}  // namespace meander::solvers
