// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/muscl.hpp"

#include "physics/euler/kernels.hpp"
#include "solvers/limiters.hpp"
#include "solvers/patch_solver.hpp"

namespace meander::euler {

template <int D>
void update_muscl(const Terms<D>& terms, Limiter limiter, std::span<const PatchTask> tasks,
                  const PatchLayout& layout, double t, double dt, const SphericalGravity& gravity,
                  std::span<PatchStatus> status) {
  if (limiter == Limiter::minmod) {
    update_batch<MusclHancock<Terms<D>, Pack, MinMod>>(terms, tasks, layout, t, dt, gravity, status);
  } else {
    update_batch<MusclHancock<Terms<D>, Pack, MonotonizedCentral>>(terms, tasks, layout, t, dt, gravity,
                                                                   status);
  }
}

template void update_muscl<2>(const Terms<2>&, Limiter, std::span<const PatchTask>, const PatchLayout&,
                              double, double, const SphericalGravity&, std::span<PatchStatus>);
template void update_muscl<3>(const Terms<3>&, Limiter, std::span<const PatchTask>, const PatchLayout&,
                              double, double, const SphericalGravity&, std::span<PatchStatus>);

}  // namespace meander::euler
