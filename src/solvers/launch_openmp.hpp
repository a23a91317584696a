// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A batch as one target region: a team of threads a patch. For translation units that are compiled for
// offloading (meander_offloads in CMake).

#include <omp.h>

#include <algorithm>

#include "gpu/device.hpp"
#include "solvers/block_openmp.hpp"
#include "solvers/device_batch.hpp"

namespace meander::solvers {

// Updates all patches of the batch by the kernel (block.hpp), which travels to the device as it is; returns
// when that is done. The memory of the kernel's blocks is the batch's scratch, one piece a patch.
template <class Kernel>
void launch_openmp(const gpu::Execution& execution, const Kernel& kernel, const DeviceBatch& batch) {
  static_assert(std::is_trivially_copyable_v<Kernel>);
  const int device = execution.openmp_device(), count = batch.count;
  const bool on_host = device == omp_get_initial_device();
  const int threads = on_host ? std::min(omp_get_max_threads(), OpenMpBlock::most_threads) : 8;
  const DevicePatch* const patches = batch.patches;
  PatchStatus* const status = batch.status;
  auto* const scratch = static_cast<double*>(batch.scratch);
  const std::ptrdiff_t memory = Kernel::memory(batch.layout);
#pragma omp target teams distribute is_device_ptr(patches, status, scratch) firstprivate(kernel) \
    device(device)
  for (int i = 0; i < count; ++i) {
    BlockStatus statuses[OpenMpBlock::most_threads];
#pragma omp parallel num_threads(threads)
    {
      OpenMpBlock block(omp_get_thread_num(), omp_get_num_threads(), statuses);
      kernel.update(block, patches[i], status[i], scratch + i * memory);
    }
  }
}

}  // namespace meander::solvers
