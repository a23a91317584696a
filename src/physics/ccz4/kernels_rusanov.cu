// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/kernels.hpp"
#include "solvers/block_cuda.cuh"
#include "solvers/block_fused.hpp"

namespace meander::ccz4 {

// A volume needs all registers that a thread can have; two blocks of this number of threads fit.
constexpr int threads = 128;

void launch_rusanov_on_cuda(const gpu::Execution& execution, const Terms& terms, const DeviceBatch& batch) {
  with_patch_size<Terms, Terms::PatchSizes>(batch.layout.p, [&](auto p) {
    launch_phases_on_cuda<BlockRusanovFused<Terms, decltype(p)::value>, threads>(execution, terms, batch);
  });
}

}  // namespace meander::ccz4
