// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The CPU kernels of an equation, with SIMD packs.

#include "solvers/fourth_order.hpp"
#include "solvers/godunov.hpp"
#include "solvers/muscl.hpp"
#include "solvers/patch_solver.hpp"
#include "solvers/pde_kernels.hpp"
#include "solvers/rusanov_fused.hpp"

namespace meander::solvers {

template <Pde P>
void CpuKernels<P>::update(const P& pde, const SchemeChoice& scheme, std::span<const PatchTask> tasks,
                           const PatchLayout& layout, int stage, double t, double dt,
                           const typename P::StepData& step, std::span<PatchStatus> status) {
  with_scheme<P>(scheme, [&]<class Scheme>(std::type_identity<Scheme>) {
    update_batch<typename Scheme::template Cpu<P, Pack>>(pde, tasks, layout, stage, t, dt, step, status);
  });
}

template <Pde P>
PatchStatus CpuKernels<P>::inspect(const P& pde, const PatchTask& task, const PatchLayout& layout) {
  return inspect_patch(pde, task, layout, workspace(layout).plane);
}

template <Pde P>
PatchStatus CpuKernels<P>::enforce_floors(const P& pde, const PatchTask& task, const PatchLayout& layout) {
  return enforce_patch(pde, task, layout, workspace(layout).plane);
}

}  // namespace meander::solvers
