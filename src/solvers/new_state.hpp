// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The last steps of a volume's update after the fluxes: the source by operator splitting, the floors, and the
// status of the new state. Shared by all schemes.

#include "solvers/pack.hpp"
#include "solvers/patch_layout.hpp"
#include "solvers/patch_source.hpp"
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
  MEANDER_TERM void add(const P& pde, const V* q, Mask interior) { add(pde, q, rate(pde, q), interior); }
  // speed: rate(pde, q).
  MEANDER_TERM void add(const P& pde, const V* q, V speed, Mask interior) {
    speed = select(interior, speed, V(0.0));
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

// Applies the source that follows the fluxes, and floors, to the planes of one patch, and collects its status.
template <Pde P, class V>
class NewState {
  using Mask = decltype(V(0.0) > V(0.0));

 public:
  NewState(const P& pde, const PlaneMap& plane, const PatchSource<P, V>& source)
      : pde_(pde), plane_(plane), source_(source) {
    if constexpr (Floored<P>) floors_ = pde.enforces();
  }

  // q: plane k of the patch from position `first` to `last`: the state after the fluxes on entry, the final
  // state on return. kept: what is kept of a split source. This is a separate, short sweep so that its
  // long dependency chain of divisions and roots overlaps between packs.
  void finish(const Rows& q, int first, int last, int k, const Rows& kept) {
    if (source_.is_on() || floors_) {
      sweep<true>(q, first, last, k, kept);
    } else {
      sweep<false>(q, first, last, k, kept);
    }
  }

  PatchStatus result() const {
    PatchStatus status = sum_.result();
    status.floored = static_cast<std::int64_t>(total(floored_));
    return status;
  }

 private:
  template <bool changes>
  void sweep(const Rows& rows, std::ptrdiff_t first, std::ptrdiff_t last, int k, const Rows& kept_rows) {
    constexpr int kept_values = PatchSource<P, V>::kept_values;
    const P pde = pde_;
    const double* interior = plane_.interior();
    StatusSum<P, V> sum = sum_;  // local copies stay in registers
    const PatchSource<P, V> source = source_;
    for (std::ptrdiff_t at = first; at <= last; at += lanes<V>) {
      V q[P::unknowns], speed;
      read<P::unknowns>(rows, at, q);
      const Mask inside = load<V>(interior + at) > V(0.0);
      if constexpr (changes) {
        if (source.is_on()) {
          V kept[kept_values + 1];
          read<kept_values>(kept_rows, at, kept);
          source.after(q, at, k, kept);
        }
        speed = enforce(pde, q, inside);
        write<P::unknowns>(rows, at, q);
      } else {
        speed = rate(pde, q);
      }
      sum.add(pde, q, speed, inside);
    }
    sum_ = sum;
  }

  // Applies the floors. Returns the rate of the new state.
  MEANDER_TERM V enforce(const P& pde, V* q, const Mask& inside) {
    if constexpr (Floored<P>) {
      if (floors_) {
        V a[P::auxiliaries + 1];
        if constexpr (FlooredWithAuxiliaries<P>) {
          count(inside && pde.enforce(q, a));
          return rate(pde, q, a);
        } else {
          count(inside && pde.enforce(q));
        }
      }
    }
    return rate(pde, q);
  }
  MEANDER_TERM void count(const Mask& floored) { floored_ = floored_ + select(floored, V(1.0), V(0.0)); }

  const P& pde_;
  const PlaneMap& plane_;
  const PatchSource<P, V>& source_;
  bool floors_ = false;
  V floored_ = V(0.0);
  StatusSum<P, V> sum_;
};

}  // namespace meander::solvers
