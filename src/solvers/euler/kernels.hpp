// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The Euler patch kernels, each instantiated in a translation unit of its own.

#include <span>

#include "solvers/euler/terms.hpp"
#include "solvers/solver.hpp"

namespace meander::solvers::euler {

template <int D>
void update_rusanov(const Terms<D>& terms, std::span<const PatchTask> tasks, const PatchLayout& layout,
                    double t, double dt, const SphericalGravity& gravity, std::span<PatchStatus> status);

template <int D>
void update_muscl(const Terms<D>& terms, Limiter limiter, std::span<const PatchTask> tasks,
                  const PatchLayout& layout, double t, double dt, const SphericalGravity& gravity,
                  std::span<PatchStatus> status);

template <int D>
PatchStatus inspect(const Terms<D>& terms, const PatchTask& task, const PatchLayout& layout);

}  // namespace meander::solvers::euler
