// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/assert.hpp"
#include "physics/ccz4/kernels.hpp"
#include "solvers/fourth_order.hpp"

namespace meander::ccz4 {

void update_fourth_order(const Terms& terms, std::span<const PatchTask> tasks, const PatchLayout& layout,
                         int stage, double dt, std::span<PatchStatus> status) {
  FourthOrder<Terms, Pack> kernel(terms, terms.parameters.dissipation, layout, workspace(layout));
  for (std::size_t i = 0; i < tasks.size(); ++i) status[i] = kernel.update(tasks[i], stage, dt);
}

}  // namespace meander::ccz4
