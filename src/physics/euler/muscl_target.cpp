// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/euler/kernels.hpp"
#include "solvers/block_muscl.hpp"
#include "solvers/launch_openmp.hpp"
#include "solvers/limiters.hpp"

namespace meander::euler {

template <int D>
void launch_muscl_on_openmp(const gpu::Execution& execution, const Terms<D>& terms, Limiter limiter,
                            const DeviceBatch& batch) {
  if (limiter == Limiter::minmod) {
    launch_on_openmp<BlockMuscl<Terms<D>, MinMod, 0>>(execution, terms, batch);
  } else {
    launch_on_openmp<BlockMuscl<Terms<D>, MonotonizedCentral, 0>>(execution, terms, batch);
  }
}

template void launch_muscl_on_openmp<2>(const gpu::Execution&, const Terms<2>&, Limiter, const DeviceBatch&);
template void launch_muscl_on_openmp<3>(const gpu::Execution&, const Terms<3>&, Limiter, const DeviceBatch&);

}  // namespace meander::euler
