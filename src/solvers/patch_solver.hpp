// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Functions common to solvers of an equation with a scheme's patch kernel: the loop over a batch, inspection and
// floors. Included by the translation units that instantiate kernels, and by tests.

#include <utility>

#include "base/assert.hpp"
#include "solvers/new_state.hpp"

namespace meander::solvers {

// Calls body(rows, interior) for all packs with volumes of the interior: the unknowns of the pack are at position 0 of
// the rows.
template <Pde P, class V, class Body>
void for_packs(const PatchTask& task, const PatchLayout& layout, const PlaneMap& plane, const Body& body) {
  const int last = plane.at(layout.p - 1, layout.p - 1);
  for (int k = 0; k < (P::dim == 3 ? layout.p : 1); ++k) {
    double* const q = task.q + (P::dim == 3 ? (k + layout.h) * layout.stride(2) : 0);
    for (int at = plane.at(0, 0); at <= last; at += lanes<V>)
      body(Rows{q + at, layout.unknown_stride()}, load<V>(plane.interior() + at) > V(0.0));
  }
}

// Status of the interior of one patch.
template <Pde P, class V = Pack>
PatchStatus inspect_patch(const P& pde, const PatchTask& task, const PatchLayout& layout,
                          const PlaneMap& plane) {
  StatusSum<P, V> sum;
  for_packs<P, V>(task, layout, plane, [&](const Rows& rows, const auto& interior) {
    V q[P::unknowns];
    read<P::unknowns>(rows, 0, q);
    sum.add(pde, q, interior);
  });
  return sum.result();
}

// Raises the interior to the floors, with the operations of an update, and inspects it.
template <Pde P, class V = Pack>
PatchStatus enforce_patch(const P& pde, const PatchTask& task, const PatchLayout& layout,
                          const PlaneMap& plane) {
  if constexpr (Floored<P>) {
    if (pde.enforces()) {
      StatusSum<P, V> sum;
      V floored(0.0);
      for_packs<P, V>(task, layout, plane, [&](const Rows& rows, const auto& interior) {
        V q[P::unknowns], before[P::unknowns];
        read<P::unknowns>(rows, 0, q);
        for (int n = 0; n < P::unknowns; ++n) before[n] = q[n];
        floored = floored + select(interior && pde.enforce(q), V(1.0), V(0.0));
        for (int n = 0; n < P::unknowns; ++n) before[n] = select(interior, q[n], before[n]);
        write<P::unknowns>(rows, 0, before);
        sum.add(pde, q, interior);
      });
      PatchStatus status = sum.result();
      status.floored = static_cast<std::int64_t>(total(floored));
      return status;
    }
  }
  return inspect_patch<P, V>(pde, task, layout, plane);
}

// Kernel: constructed from (pde, layout, workspace), with update(task, slot of the next patch, t, dt, step
// data or null), or of several stages update(task, stage, dt).
template <class Kernel, Pde P>
void update_batch(const P& pde, std::span<const PatchTask> tasks, const PatchLayout& layout, int stage,
                  double t, double dt, const typename P::StepData& step, std::span<PatchStatus> status) {
  MEANDER_ASSERT(tasks.size() <= status.size());
  MEANDER_ASSERT(layout.dim == P::dim && layout.unknowns == P::unknowns);
  [[maybe_unused]] const typename P::StepData* active = nullptr;
  if constexpr (P::has_source) active = pde.source_on(step) ? &step : nullptr;
  Kernel kernel(pde, layout, workspace(layout));
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if constexpr (requires { kernel.update(tasks[i], stage, dt); }) {
      status[i] = kernel.update(tasks[i], stage, dt);
    } else {
      const double* next =
          tasks[i].next != nullptr ? tasks[i].next : tasks[i + 1 < tasks.size() ? i + 1 : i].q;
      status[i] = kernel.update(tasks[i], next, t, dt, active);
    }
  }
}

}  // namespace meander::solvers
