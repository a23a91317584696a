// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Device kernels on CUDA: a block of threads for each patch, or a warp for each small patch. For .cu files.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "gpu/once_per_device.hpp"
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

// The number of blocks that a multiprocessor of 228 KiB of shared memory holds, where each thread has the
// registers that the kernel asks for. Told this number, the compiler does not spill for the sake of blocks
// that do not fit in any case.
template <class Kernel, int known, int threads>
constexpr int resident_blocks() {
  constexpr std::size_t shared_memory = 228 * 1024, reserved = 2 * 1024, registers = 65536, most_blocks = 32;
  const std::size_t bytes = static_cast<std::size_t>(Kernel::memory(known)) * sizeof(double) + reserved;
  // Kernels of any patch size need some more for their indices.
  const std::size_t needed = Kernel::registers + (known == 0 ? 16 : 0);
  const std::size_t by_registers = registers / (threads * (needed < 255 ? needed : 255));
  const std::size_t by_memory = known == 0 ? by_registers : shared_memory / bytes;
  return static_cast<int>(std::min({by_memory, by_registers, most_blocks}));
}

// The memory of a block is shared memory, or its part of the batch's scratch: a parameter of the kernel's
// type, since the compiler accesses memory of an unknown kind by slower instructions.
template <class Kernel, int threads, BlockMemory place, int blocks>
__global__ void __launch_bounds__(threads, blocks)
    update_patches(const __grid_constant__ Kernel kernel, const __grid_constant__ DeviceBatch batch,
                   int memory) {
  extern __shared__ double shared[];
  const CudaBlock<threads> block;
  const DevicePatch& patch = global(batch.patches)[blockIdx.x];  // no copy: its arrays are indexed
  BlockStatus status;
  if constexpr (place == BlockMemory::shared) {
    kernel.update(block, patch, status, shared);
  } else {
    auto* const scratch = global(static_cast<double*>(batch.scratch));
    kernel.update(block, patch, status, scratch + static_cast<std::ptrdiff_t>(blockIdx.x) * memory);
  }
  block.collect(status);
  if (block.leads()) status.write(global(batch.status)[blockIdx.x]);
}

inline void check_launch(cudaError_t result, const char* call) {
  if (result == cudaSuccess) return;
  cudaGetLastError();
  throw gpu::DeviceError(std::string(call) + ": " + cudaGetErrorString(result), false);
}

// The shared memory in bytes that a block of this kernel may have in addition to the kernel's own. The first
// call for a device raises it to the device's maximum, once for launches of all patch sizes.
template <auto* function>
std::size_t shared_memory_limit(int device) {
  static gpu::OncePerDevice limit;
  return static_cast<std::size_t>(limit(device, [device]() -> long {
    int most = 0;
    check_launch(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
                 "cudaDeviceGetAttribute");
    cudaFuncAttributes found{};
    check_launch(cudaFuncGetAttributes(&found, function), "cudaFuncGetAttributes");
    const int free = most - static_cast<int>(found.sharedSizeBytes);
    check_launch(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, free),
                 "cudaFuncSetAttribute");
    check_launch(cudaFuncSetAttribute(function, cudaFuncAttributePreferredSharedMemoryCarveout,
                                      cudaSharedmemCarveoutMaxShared),
                 "cudaFuncSetAttribute");
    return free;
  }));
}

// Number of threads for the p^2 volumes of a plane (in 2D: all volumes), at most 289 if p is known.
constexpr int threads_for(int p) {
  return p == 0 ? 256 : (p * p + 31) / 32 * 32;
}

constexpr int large_patch = 64;

// Runs part `which` of a phase. Inlined: a call would pass all by addresses in local memory.
template <int phase, int part, class Kernel, class Block>
__device__ __forceinline__ void run_part(unsigned which, const Kernel& kernel, const Block& block,
                                         const DevicePatch& patch, BlockStatus& status, double* memory) {
  if (which == part) return kernel.template run<phase, part>(block, patch, status, memory);
  if constexpr (part + 1 < Kernel::template parts<phase>)
    run_part<phase, part + 1>(which, kernel, block, patch, status, memory);
}

// One phase of a kernel that consists of several (Kernel::phases), a block for each part of each patch. Phases
// hand data on in the slots and in scratch memory.
template <class Kernel, int threads, int blocks, int phase>
__global__ void __launch_bounds__(threads, blocks)
    update_phase(const __grid_constant__ Kernel kernel, const __grid_constant__ DeviceBatch batch,
                 int memory) {
  constexpr unsigned parts = Kernel::template parts<phase>;
  const CudaBlock<threads> block;
  const unsigned which = blockIdx.x % parts, index = blockIdx.x / parts;
  const DevicePatch& patch = global(batch.patches)[index];
  BlockStatus status;
  auto* scratch = static_cast<double*>(batch.scratch);
  if (scratch != nullptr) scratch = global(scratch) + static_cast<std::ptrdiff_t>(index) * memory;
  run_part<phase, 0>(which, kernel, block, patch, status, scratch);
  if constexpr (phase + 1 == Kernel::phases) {
    block.collect(status);
    if (block.leads()) status.write(global(batch.status)[index]);
  }
}

// Submits all phases. Throws DeviceError.
template <class Kernel, int threads>
void launch_phases_on_cuda(const gpu::Execution& execution, const typename Kernel::Equation& pde,
                           const DeviceBatch& batch) {
  const auto memory = static_cast<int>(Kernel::memory(batch.layout.p));
  const Kernel kernel(pde, batch);
  cudaLaunchConfig_t config{};
  config.blockDim = threads;
  config.stream = static_cast<cudaStream_t>(execution.native_queue());
  [&]<int... phase>(std::integer_sequence<int, phase...>) {
    ((config.gridDim = static_cast<unsigned>(batch.count * Kernel::template parts<phase>),
      check_launch(
          cudaLaunchKernelEx(&config, &update_phase<Kernel, threads, 1, phase>, kernel, batch, memory),
          "kernel launch")),
     ...);
  }
  (std::make_integer_sequence<int, Kernel::phases>());
}

// Submits the update of a batch; `known`: the kernel's patch size, or 0. Throws DeviceError.
template <class Kernel, int known, int threads = threads_for(known)>
void launch_on_cuda_blocks(const gpu::Execution& execution, const typename Kernel::Equation& pde,
                           const DeviceBatch& batch) {
  constexpr int blocks = resident_blocks<Kernel, known, threads>();
  const auto memory = static_cast<int>(Kernel::memory(batch.layout.p));
  const std::size_t bytes = static_cast<std::size_t>(memory) * sizeof(double);
  const auto launch = [&](auto* function, std::size_t shared) {
    cudaLaunchConfig_t config{};
    config.gridDim = static_cast<unsigned>(batch.count);
    config.blockDim = threads;
    config.dynamicSmemBytes = shared;
    config.stream = static_cast<cudaStream_t>(execution.native_queue());
    check_launch(cudaLaunchKernelEx(&config, function, Kernel(pde, batch), batch, memory), "kernel launch");
  };
  constexpr auto* in_shared = &update_patches<Kernel, threads, BlockMemory::shared, blocks>;
  if (bytes == 0 || bytes <= shared_memory_limit<in_shared>(execution.device_number()))
    return launch(in_shared, bytes);
  // Known sizes that fit into every device need no second kernel.
  if constexpr (Kernel::memory(known == 0 ? large_patch : known) * sizeof(double) > modest_shared_memory) {
    if (batch.scratch != nullptr)
      return launch(&update_patches<Kernel, threads, BlockMemory::scratch, blocks>, 0);
  }
  throw gpu::DeviceError("a patch needs more shared memory than the device has", false);
}

}  // namespace meander::solvers
