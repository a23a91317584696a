// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The source of one patch during an update: the half of a split source (SplitSource of pde.hpp) that precedes the
// fluxes, and what follows them.

#include "solvers/pack.hpp"
#include "solvers/patch_layout.hpp"
#include "solvers/pde.hpp"
#include "solvers/solver.hpp"
#include "solvers/workspace.hpp"

namespace meander::solvers {

// Bitwise independent of the width of V. Sweeps copy it, so that it stays in registers.
template <Pde P, class V>
class PatchSource {
  static constexpr int D = P::dim, N = P::unknowns;
  using Split = typename SplitSourceOf<P>::type;

 public:
  static constexpr int first_values = Split::first_values, kept_values = Split::kept_values;

  // `step` null: no source.
  PatchSource(const P& pde, const PatchTask& task, const PatchLayout& layout, const PlaneMap& plane, double t,
              double dt, const typename P::StepData* step)
      : pde_(pde),
        x_(plane.x()),
        y_(plane.y()),
        fields_(task.q + layout.unknowns * layout.unknown_stride()),
        field_stride_(layout.unknown_stride()),
        plane_stride_(D == 3 ? layout.stride(2) : 0),
        h_(layout.h),
        dx_(task.dx),
        t_(t),
        dt_(dt),
        step_(step) {
    double lower[3], upper[3];
    for (int a = 0; a < 3; ++a) {
      lower_[a] = task.lower[a];
      lower[a] = task.lower[a] - layout.h * task.dx;
      upper[a] = task.lower[a] + (layout.p + layout.h) * task.dx;
    }
    if constexpr (SplitSource<P>) {
      if (step == nullptr) return;
      split_.of = pde.split_source(*step, dt);
      beyond_ = split_.of.reaches_beyond(lower, upper);
    }
  }

  bool is_on() const { return step_ != nullptr; }
  bool is_split() const { return SplitSource<P> && is_on(); }
  // Requires is_split().
  const Split& split() const { return split_.of; }
  bool balances() const {
    if constexpr (Balanced<P>) return is_on() && split_.of.balances();
    return false;
  }
  // The fields of plane k, as rows.
  Rows fields_of_plane(int k) const { return {fields_ + (k + h_) * plane_stride_, field_stride_}; }

  // The values of the split source at position `at` of plane k. Requires is_split(). T: V or double.
  template <class T>
  MEANDER_TERM void at(std::ptrdiff_t at, int k, T* first, T* kept) const {
    T x[D];
    centre(at, k, x);
    split_.of.at(x, beyond_, fields<T>(at, k), first, kept);
  }
  // Applies the first half to volumes of the interior. Requires is_split().
  MEANDER_TERM void before(V* q, std::ptrdiff_t at, int k, const V* kept) const {
    if constexpr (SplitSource<P>) {
      V x[D], first[first_values];
      centre(at, k, x);
      split_.of.first_of(x, fields<V>(at, k), kept, first);
      split_.of.before(q, first);
    }
  }
  // Applies what follows the fluxes. Requires is_on().
  MEANDER_TERM void after(V* q, std::ptrdiff_t at, int k, const V* kept) const {
    V x[D];
    centre(at, k, x);
    if constexpr (SplitSource<P>) {
      split_.of.after(q, x, fields<V>(at, k), kept);
    } else if constexpr (P::has_source) {
      V s[N];
      pde_.source(q, x, t_, dt_, *step_, s);
      for (int n = 0; n < N; ++n) q[n] = fma(V(dt_), s[n], q[n]);
    }
  }

 private:
  template <class T>
  MEANDER_TERM void centre(std::ptrdiff_t at, int k, T* x) const {
    x[0] = fma(load<T>(x_ + at), T(dx_), T(lower_[0]));
    x[1] = fma(load<T>(y_ + at), T(dx_), T(lower_[1]));
    if constexpr (D == 3) x[2] = fma(T(k + 0.5), T(dx_), T(lower_[2]));
  }
  template <class T>
  MEANDER_TERM auto fields(std::ptrdiff_t at, int k) const {
    const double* const first = fields_ + (k + h_) * plane_stride_ + at;
    return [first, stride = field_stride_](int f) { return load<T>(first + f * stride); };
  }
  union Later {  // set only if there is a step
    Later() {}
    Split of;
  };

  P pde_;
  const double *x_, *y_;
  double* fields_;
  std::ptrdiff_t field_stride_, plane_stride_;
  int h_;
  double lower_[3], dx_, t_, dt_;
  const typename P::StepData* step_;
  bool beyond_ = false;
  Later split_;
};

}  // namespace meander::solvers
