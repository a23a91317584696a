// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The kernels on resident patches on CUDA. For .cu files.

#include "solvers/block_cuda.cuh"
#include "solvers/resident_kernels.hpp"

namespace meander::solvers {

// The least number of blocks that a multiprocessor is to hold: it limits the registers of a thread. Kernel::resident_blocks if defined.
template <class Kernel>
constexpr int blocks_of() {
  if constexpr (requires { Kernel::resident_blocks; }) return Kernel::resident_blocks;
  return 1;
}

template <class Kernel, int threads>
__global__ void __launch_bounds__(threads, blocks_of<Kernel>())
    run_blocks(const __grid_constant__ Kernel kernel) {
  kernel.run(CudaBlock<threads>(), static_cast<int>(blockIdx.x));
}

struct CudaLauncher {
  void* stream = nullptr;

  template <class Kernel>
  void operator()(const Kernel& kernel, int count) const {
    constexpr int threads = 128;
    if (count == 0) return;
    run_blocks<Kernel, threads>
        <<<static_cast<unsigned>(count), threads, 0, static_cast<cudaStream_t>(stream)>>>(kernel);
    check_launch(cudaGetLastError(), "kernel launch");
  }
};

}  // namespace meander::solvers
