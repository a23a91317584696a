// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The half of a split source that precedes the fluxes (SplitSource of pde.hpp), on a whole slot: interior and halo.

#include "solvers/pack.hpp"
#include "solvers/patch_layout.hpp"
#include "solvers/pde.hpp"
#include "solvers/solver.hpp"
#include "solvers/workspace.hpp"

namespace meander::solvers {

// In place. Bitwise independent of the width of V.
template <SplitSource P, class V>
void apply_source_before(const P& pde, const PatchTask& task, const PatchLayout& layout,
                         const PlaneMap& plane, double t, double dt, const typename P::StepData& step) {
  const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(plane.edge()) * plane.edge(),
                       stride = layout.unknown_stride();
  const auto apply = [&]<class T>(T, double* at, std::ptrdiff_t i, int k) {
    T q[P::unknowns], x[P::dim], s[P::unknowns];
    x[0] = fma(load<T>(plane.x() + i), T(task.dx), T(task.lower[0]));
    x[1] = fma(load<T>(plane.y() + i), T(task.dx), T(task.lower[1]));
    if constexpr (P::dim == 3) x[2] = fma(T(k + 0.5), T(task.dx), T(task.lower[2]));
    for (int n = 0; n < P::unknowns; ++n) q[n] = load<T>(at + i + n * stride);
    pde.source_before(q, x, t, dt, step, s);
    for (int n = 0; n < P::unknowns; ++n) store(at + i + n * stride, fma(T(dt), s[n], q[n]));
  };
  const int below = P::dim == 3 ? -layout.h : 0, above = P::dim == 3 ? layout.p + layout.h : 1;
  for (int k = below; k < above; ++k) {
    double* const at = task.q + (P::dim == 3 ? (k + layout.h) * layout.stride(2) : 0);
    std::ptrdiff_t i = 0;
    for (; i + lanes<V> <= size; i += lanes<V>) apply(V(0.0), at, i, k);
    // No pack may reach into the next plane, whose source would be applied twice.
    for (; i < size; ++i) apply(0.0, at, i, k);
  }
}

}  // namespace meander::solvers
