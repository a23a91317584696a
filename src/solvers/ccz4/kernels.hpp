// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The CCZ4 patch kernels, each instantiated in a translation unit of its own.

#include <span>

#include "solvers/ccz4/terms.hpp"
#include "solvers/solver.hpp"

namespace meander::solvers::ccz4 {

void update_rusanov(const Terms& terms, std::span<const PatchTask> tasks, const PatchLayout& layout, double t,
                    double dt, std::span<PatchStatus> status);

void update_fourth_order(const Terms& terms, std::span<const PatchTask> tasks, const PatchLayout& layout,
                         int stage, double dt, std::span<PatchStatus> status);

PatchStatus inspect(const Terms& terms, const PatchTask& task, const PatchLayout& layout);

}  // namespace meander::solvers::ccz4
