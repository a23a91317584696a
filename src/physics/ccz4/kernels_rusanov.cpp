// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/kernels.hpp"
#include "solvers/patch_solver.hpp"
#include "solvers/rusanov_fused.hpp"

namespace meander::ccz4 {

void update_rusanov(const Terms& terms, std::span<const PatchTask> tasks, const PatchLayout& layout, double t,
                    double dt, std::span<PatchStatus> status) {
  update_batch<RusanovFused<Terms, Pack>>(terms, tasks, layout, t, dt, {}, status);
}

PatchStatus inspect(const Terms& terms, const PatchTask& task, const PatchLayout& layout) {
  return inspect_patch(terms, task, layout, workspace(layout).plane);
}

}  // namespace meander::ccz4
