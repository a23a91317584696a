// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A batch as one OpenMP target region with a team of threads for each patch. For translation units that are
// compiled for offloading (meander_offloads in CMake).

#include <omp.h>

#include <algorithm>
#include <type_traits>

#include "gpu/device.hpp"
#include "solvers/block_openmp.hpp"
#include "solvers/block_patch.hpp"

namespace meander::solvers {

// Threads of a team.
inline int openmp_threads(int device) {
  constexpr int on_gpu = 8;
  const bool on_host = device == omp_get_initial_device();
  return on_host ? std::min(omp_get_max_threads(), OpenMpBlock::most_threads) : on_gpu;
}

// Updates all patches of the batch by the kernel, which is copied to the device as it is. Returns after
// completion. The memory of the kernel's blocks is a part of the batch's scratch for each patch, because team
// memory is too small.
template <class Kernel>
void launch_on_openmp_teams(const gpu::Execution& execution, const typename Kernel::Equation& pde,
                            const DeviceBatch& batch) {
  static_assert(std::is_trivially_copyable_v<Kernel>);
  const Kernel kernel(pde, batch);
  const int device = execution.openmp_device(), count = batch.count, threads = openmp_threads(device);
  const DevicePatch* const patches = batch.patches;
  PatchStatus* const status = batch.status;
  auto* const scratch = static_cast<double*>(batch.scratch);
  const std::ptrdiff_t memory = Kernel::memory(batch.layout.p);
#pragma omp target teams distribute is_device_ptr(patches, status, scratch) firstprivate(kernel) \
    device(device)
  for (int i = 0; i < count; ++i) {
    BlockStatus statuses[OpenMpBlock::most_threads];
#pragma omp parallel num_threads(threads)
    {
      const OpenMpBlock block(omp_get_thread_num(), omp_get_num_threads(), statuses);
      BlockStatus mine;
      kernel.update(block, patches[i], mine, scratch + i * memory);
      block.collect(mine);
      if (block.leads()) mine.write(status[i]);
    }
  }
}

}  // namespace meander::solvers
