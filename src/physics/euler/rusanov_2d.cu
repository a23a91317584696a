// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/euler/kernels.hpp"
#include "solvers/block_cuda.cuh"
#include "solvers/block_rusanov.hpp"

namespace meander::euler {

template <>
void launch_rusanov_on_cuda<2>(void* stream, const Terms<2>& terms, const DeviceBatch& batch) {
  with_patch_size(batch.layout.p, [&](auto p) {
    launch_on_cuda<BlockRusanov<Terms<2>, decltype(p)::value>, decltype(p)::value>(stream, terms, batch);
  });
}

}  // namespace meander::euler
