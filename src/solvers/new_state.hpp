// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The last steps of a volume's update after the fluxes: the source by operator splitting, the floors, and the
// status of the new state. Shared by all schemes.

#include "solvers/pack.hpp"
#include "solvers/patch_layout.hpp"
#include "solvers/pde.hpp"
#include "solvers/riemann.hpp"
#include "solvers/solver.hpp"
#include "solvers/workspace.hpp"

namespace meander::solvers {

// Collects the status of one patch over its volumes. Halo volumes in a pack are masked out, whatever their
// values.
template <Pde P, class V>
class StatusSum {
  using Mask = decltype(V(0.0) > V(0.0));

 public:
  MEANDER_TERM void add(const P& pde, const V* q, Mask interior) {
    const V speed = select(interior, rate(pde, q), V(0.0));
    max_rate_ = max(speed, max_rate_);  // this order drops a NaN, which admissible() detects
    bad_ = bad_ || (interior && !pde.admissible(q));
  }
  PatchStatus result() const {
    PatchStatus status;
    status.max_rate = largest(max_rate_);
    status.admissible = !any(bad_);
    return status;
  }

 private:
  V max_rate_ = V(0.0);
  Mask bad_ = V(0.0) > V(0.0);
};

// Applies source and floors to the planes of one patch, and collects its status.
template <Pde P, class V>
class NewState {
  using Mask = decltype(V(0.0) > V(0.0));

 public:
  // `step` null: no source.
  NewState(const P& pde, const PatchTask& task, const PlaneMap& plane, double t, double dt,
           const typename P::StepData* step)
      : pde_(pde), task_(task), plane_(plane), t_(t), dt_(dt), step_(step) {
    if constexpr (Floored<P>) floors_ = pde.enforces();
  }

  // q: plane k of the patch from position `first` to `last`: the state after the fluxes on entry, the final
  // state on return. This is a separate, short sweep so that its long dependency chain of divisions and roots
  // overlaps between packs.
  void finish(const Rows& q, int first, int last, int k) {
    if (step_ != nullptr || floors_) {
      sweep<true>(q, first, last, k);
    } else {
      sweep<false>(q, first, last, k);
    }
  }

  PatchStatus result() const {
    PatchStatus status = sum_.result();
    status.floored = static_cast<std::int64_t>(total(floored_));
    return status;
  }

 private:
  template <bool changes>
  void sweep(const Rows& rows, std::ptrdiff_t first, std::ptrdiff_t last, int k) {
    const P pde = pde_;
    const double* interior = plane_.interior();
    StatusSum<P, V> sum = sum_;  // a local copy stays in registers
    for (std::ptrdiff_t at = first; at <= last; at += lanes<V>) {
      V q[P::unknowns];
      read<P::unknowns>(rows, at, q);
      const Mask inside = load<V>(interior + at) > V(0.0);
      if constexpr (changes) {
        change(q, at, k, inside);
        write<P::unknowns>(rows, at, q);
      }
      sum.add(pde, q, inside);
    }
    sum_ = sum;
  }

  void change(V* q, std::ptrdiff_t at, int k, const Mask& inside) {
    if constexpr (P::has_source) {
      if (step_ != nullptr) {
        V x[P::dim], s[P::unknowns];
        x[0] = fma(load<V>(plane_.x() + at), V(task_.dx), V(task_.lower[0]));
        x[1] = fma(load<V>(plane_.y() + at), V(task_.dx), V(task_.lower[1]));
        if constexpr (P::dim == 3) x[2] = fma(V(k + 0.5), V(task_.dx), V(task_.lower[2]));
        pde_.source(q, x, t_, dt_, *step_, s);
        for (int n = 0; n < P::unknowns; ++n) q[n] = fma(V(dt_), s[n], q[n]);
      }
    }
    if constexpr (Floored<P>) {
      if (floors_) floored_ = floored_ + select(inside && pde_.enforce(q), V(1.0), V(0.0));
    }
  }

  const P& pde_;
  const PatchTask& task_;
  const PlaneMap& plane_;
  double t_, dt_;
  const typename P::StepData* step_;
  bool floors_ = false;
  V floored_ = V(0.0);
  StatusSum<P, V> sum_;
};

}  // namespace meander::solvers
