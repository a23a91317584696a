// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Buffer for new values of planes that cannot yet be written to the patch because later planes read the old
// ones. Plane k stays in the ring until plane k + h has been computed.

#include "solvers/new_state.hpp"
#include "solvers/pack_cover.hpp"

namespace meander::solvers {

// Writes new values to a patch: enforces constraints and floors, and collects the status.
template <Pde P, class V>
class Entry {
 public:
  // `rows`: plane k of the patch, changed in place.
  void enter(const P& pde, const Rows& rows, int k, const PatchLayout& layout, const PlaneMap& plane) {
    StatusSum<P, V> sum = sum_;
    V floored = floored_, strayed = strayed_;
    for_cover<lanes<V>>(layout, plane, [&](std::ptrdiff_t at) {
      V q[P::unknowns];
      read<P::unknowns>(rows, at, q);
      const auto inside = load<V>(plane.interior() + at) > V(0.0);
      if constexpr (Floored<P>) {
        const auto strays = [&] {
          if constexpr (Watched<P>) return inside && pde.strays(q);
          return V(0.0) > V(0.0);
        }();
        const auto low = inside && pde.enforce(q);
        floored = floored + select(low, V(1.0), V(0.0));
        strayed = strayed + select(strays, V(1.0), V(0.0));
        if constexpr (Watched<P>) {
          if (any(low || strays)) note(pde, rows, at, k, layout, plane);
        }
        write<P::unknowns>(rows, at, q);
      }
      sum.add(pde, q, inside);
    });
    sum_ = sum;
    floored_ = floored;
    strayed_ = strayed;
  }
  PatchStatus result() const {
    PatchStatus status = sum_.result();
    status.floored = static_cast<std::int64_t>(total(floored_));
    status.strayed = static_cast<std::int64_t>(total(strayed_));
    status.breach = breach_;
    return status;
  }

 private:
  // The rows still hold the values before the correction.
  void note(const P& pde, const Rows& rows, std::ptrdiff_t at, int k, const PatchLayout& layout,
            const PlaneMap& plane) {
    for (std::ptrdiff_t here = at; here < at + lanes<V>; ++here) {
      if (!(plane.interior()[here] > 0)) continue;
      double q[P::unknowns], value = 0;
      for (int n = 0; n < P::unknowns; ++n) q[n] = rows.base[n * rows.stride + here];
      const int bound = pde.breach(q, value);
      if (bound <= breach_.bound) continue;
      const int i = static_cast<int>(plane.x()[here]), j = static_cast<int>(plane.y()[here]);
      breach_ = {bound, (k * layout.p + j) * layout.p + i, value};
    }
  }

  StatusSum<P, V> sum_;
  V floored_ = V(0.0), strayed_ = V(0.0);
  Breach breach_;
};

// Calls compute(k, ring) for the planes k of a patch, and retire(k, ring) after planes up to k + h are
// computed. ring: the block of plane k, of `block` doubles. The h + 1 blocks lie in `memory`, one after
// another.
template <class Compute, class Retire>
void through_ring(const PatchLayout& layout, double* memory, std::ptrdiff_t block, const Compute& compute,
                  const Retire& retire) {
  const int waiting = layout.h + 1;
  const auto ring = [&](int k) { return memory + k % waiting * block; };
  for (int k = 0; k < layout.p; ++k) {
    compute(k, ring(k));
    if (k >= layout.h) retire(k - layout.h, ring(k - layout.h));
  }
  for (int k = layout.p > layout.h ? layout.p - layout.h : 0; k < layout.p; ++k) retire(k, ring(k));
}

}  // namespace meander::solvers
