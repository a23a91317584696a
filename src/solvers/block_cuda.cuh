// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Device kernels on CUDA: a block of threads for each patch, or a warp for each small patch. For .cu files.

#include <cuda_runtime.h>

#include <cstddef>
#include <string>

#include "solvers/block_patch.hpp"

namespace meander::solvers {

template <int threads>
class CudaBlock {
  static_assert(threads % 32 == 0);

 public:
  template <class F>
  __device__ __forceinline__ void for_each(int count, const F& f) const {
    for (int item = first(); item < count; item += threads) f(item);
  }
  template <class F>
  __device__ __forceinline__ void for_each(int count, BlockStatus& status, const F& f) const {
    for (int item = first(); item < count; item += threads) f(item, status);
  }
  __device__ __forceinline__ void sync() const {
    if constexpr (threads == 32) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }
  __device__ __forceinline__ bool leads() const { return first() == 0; }

  __device__ __forceinline__ void collect(BlockStatus& status) const {
    for (int distance = 16; distance > 0; distance /= 2) {
      BlockStatus other;
      other.max_rate = __shfl_down_sync(~0u, status.max_rate, distance);
      other.first_order = __shfl_down_sync(~0u, status.first_order, distance);
      other.floored = __shfl_down_sync(~0u, status.floored, distance);
      other.strayed = __shfl_down_sync(~0u, status.strayed, distance);
      other.inadmissible = __shfl_down_sync(~0u, status.inadmissible, distance);
      other.breach.bound = __shfl_down_sync(~0u, status.breach.bound, distance);
      other.breach.volume = __shfl_down_sync(~0u, status.breach.volume, distance);
      other.breach.value = __shfl_down_sync(~0u, status.breach.value, distance);
      status.add(other);
    }
    if constexpr (threads > 32) {
      // Objects in shared memory must not have a constructor.
      __shared__ alignas(BlockStatus) unsigned char memory[threads / 32 * sizeof(BlockStatus)];
      auto* const of_warp = reinterpret_cast<BlockStatus*>(memory);
      if (first() % 32 == 0) of_warp[first() / 32] = status;
      __syncthreads();
      if (!leads()) return;
      for (int warp = 1; warp < threads / 32; ++warp) status.add(of_warp[warp]);
    }
  }

 private:
  __device__ __forceinline__ static int first() { return static_cast<int>(threadIdx.x); }
};

// `scratch` null: the block's memory is shared memory.
template <class Kernel, int threads>
__global__ void __launch_bounds__(threads)
    update_patches(const __grid_constant__ Kernel kernel, const __grid_constant__ DeviceBatch batch,
                   int memory, double* scratch) {
  extern __shared__ double shared[];
  const CudaBlock<threads> block;
  double* const mine =
      scratch == nullptr ? shared : scratch + static_cast<std::ptrdiff_t>(blockIdx.x) * memory;
  const DevicePatch& patch = batch.patches[blockIdx.x];  // no copy: its arrays are indexed
  BlockStatus status;
  kernel.update(block, patch, status, mine);
  block.collect(status);
  if (block.leads()) status.write(batch.status[blockIdx.x]);
}

inline void check_launch(cudaError_t result, const char* call) {
  if (result == cudaSuccess) return;
  cudaGetLastError();
  throw gpu::DeviceError(std::string(call) + ": " + cudaGetErrorString(result), false);
}

// Number of threads for the p^2 volumes of a plane (in 2D: all volumes), at most 289 if p is known.
constexpr int threads_for(int p) {
  return p == 0 ? 256 : (p * p + 31) / 32 * 32;
}

// Submits the update of a batch; `known`: the kernel's patch size, or 0. Throws DeviceError.
template <class Kernel, int known, int threads = threads_for(known)>
void launch_on_cuda_blocks(void* queue, const typename Kernel::Equation& pde, const DeviceBatch& batch) {
  constexpr auto* function = &update_patches<Kernel, threads>;
  const std::ptrdiff_t memory = Kernel::memory(batch.layout.p);
  const std::size_t bytes = static_cast<std::size_t>(memory) * sizeof(double);
  int device = 0, most = 0;
  check_launch(cudaGetDevice(&device), "cudaGetDevice");
  check_launch(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
               "cudaDeviceGetAttribute");
  // The kernel itself uses part of the shared memory, for the status.
  const bool shared = bytes + 1024 <= static_cast<std::size_t>(most);
  if (shared) {
    check_launch(
        cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "cudaFuncSetAttribute");
  } else if (batch.scratch == nullptr) {
    throw gpu::DeviceError("a patch needs more shared memory than the device has", false);
  }
  function<<<static_cast<unsigned>(batch.count), threads, shared ? bytes : 0,
             static_cast<cudaStream_t>(queue)>>>(Kernel(pde, batch), batch, static_cast<int>(memory),
                                                 shared ? nullptr : static_cast<double*>(batch.scratch));
  check_launch(cudaGetLastError(), "kernel launch");
}

}  // namespace meander::solvers
