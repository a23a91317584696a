// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/block_gather.hpp"
#include "solvers/resident_kernels.hpp"

namespace meander::solvers {

#ifdef MEANDER_CUDA
void launch_gather_on_cuda(const gpu::Execution& execution, const GatherBatch& batch);  // gather.cu
#endif
#ifdef MEANDER_OPENMP
void launch_gather_on_openmp(const gpu::Execution& execution, const GatherBatch& batch);  // gather_target.cpp
#endif

void launch_gather(const gpu::Execution& execution, const GatherBatch& batch) {
  if (execution.on_host()) {
    GatherBatch here = batch;
    if (batch.count > 0) here.at = addresses_on_host(execution, batch.points, batch.count);
    SerialLauncher()(BlockGather(here), BlockGather::blocks(here));
    return;
  }
#if defined(MEANDER_OPENMP)
  launch_gather_on_openmp(execution, batch);
#elif defined(MEANDER_CUDA)
  launch_gather_on_cuda(execution, batch);
#else
  throw gpu::DeviceError("no kernels on resident patches for this device", false);
#endif
}

}  // namespace meander::solvers
