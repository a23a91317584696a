// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/euler/kernels.hpp"
#include "solvers/block_rusanov.hpp"
#include "solvers/launch_openmp.hpp"

namespace meander::euler {

// Not specialised by patch size: the compiler for the device would take a minute for it.
template <int D>
void launch_rusanov_on_openmp(const gpu::Execution& execution, const Terms<D>& terms,
                              const DeviceBatch& batch) {
  launch_on_openmp<BlockRusanov<Terms<D>, 0>>(execution, terms, batch);
}

template void launch_rusanov_on_openmp<2>(const gpu::Execution&, const Terms<2>&, const DeviceBatch&);
template void launch_rusanov_on_openmp<3>(const gpu::Execution&, const Terms<3>&, const DeviceBatch&);

}  // namespace meander::euler
