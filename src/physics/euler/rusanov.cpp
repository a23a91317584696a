// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/rusanov.hpp"

#include "physics/euler/kernels.hpp"
#include "solvers/patch_solver.hpp"

namespace meander::euler {

template <int D>
void update_rusanov(const Terms<D>& terms, std::span<const PatchTask> tasks, const PatchLayout& layout,
                    double t, double dt, const SphericalGravity& gravity, std::span<PatchStatus> status) {
  update_batch<Rusanov<Terms<D>, Pack>>(terms, tasks, layout, t, dt, gravity, status);
}

template <int D>
PatchStatus inspect(const Terms<D>& terms, const PatchTask& task, const PatchLayout& layout) {
  return inspect_patch(terms, task, layout, workspace(layout).plane);
}

template void update_rusanov<2>(const Terms<2>&, std::span<const PatchTask>, const PatchLayout&, double,
                                double, const SphericalGravity&, std::span<PatchStatus>);
template void update_rusanov<3>(const Terms<3>&, std::span<const PatchTask>, const PatchLayout&, double,
                                double, const SphericalGravity&, std::span<PatchStatus>);
template PatchStatus inspect<2>(const Terms<2>&, const PatchTask&, const PatchLayout&);
template PatchStatus inspect<3>(const Terms<3>&, const PatchTask&, const PatchLayout&);

}  // namespace meander::euler
