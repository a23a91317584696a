// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/block_gather.hpp"
#include "solvers/resident_cuda.cuh"

namespace meander::solvers {

void launch_gather_on_cuda(const gpu::Execution& execution, const GatherBatch& batch) {
  CudaLauncher{execution.native_queue()}(BlockGather(batch), BlockGather::blocks(batch));
}

}  // namespace meander::solvers
