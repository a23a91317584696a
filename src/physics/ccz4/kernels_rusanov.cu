// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/kernels.hpp"
#include "solvers/block_cuda.cuh"
#include "solvers/block_fused.hpp"

namespace meander::ccz4 {

// A volume needs all registers that a thread can have; this number of threads is half of what fits.
constexpr int threads = 128;

void launch_rusanov_on_cuda(const gpu::Execution& execution, const Terms& terms, const DeviceBatch& batch) {
  launch_on_cuda_blocks<BlockRusanovFused<Terms>, 0, threads>(execution, terms, batch);
}

}  // namespace meander::ccz4
