// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/euler/kernels.hpp"
#include "solvers/block_cuda.cuh"
#include "solvers/block_muscl.hpp"
#include "solvers/limiters.hpp"

namespace meander::euler {

template <>
void launch_muscl_minmod_on_cuda<3>(void* stream, const Terms<3>& terms, const DeviceBatch& batch) {
  with_patch_size(batch.layout.p, [&](auto p) {
    launch_on_cuda<BlockMuscl<Terms<3>, MinMod, decltype(p)::value>, decltype(p)::value>(stream, terms,
                                                                                         batch);
  });
}

}  // namespace meander::euler
