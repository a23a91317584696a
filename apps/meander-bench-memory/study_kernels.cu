// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>

#include "study_kernels.hpp"

namespace meander::bench {

namespace {

template <class Kernel>
__global__ void all_items(std::size_t n, const float* in, float* out) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) Kernel::item(i, n, in, out);
}

}  // namespace

template <class Kernel>
void launch_study_kernel(void* stream, std::size_t n, const float* in, float* out) {
  constexpr unsigned threads = 256;
  const auto blocks = static_cast<unsigned>((n + threads - 1) / threads);
  all_items<Kernel><<<blocks, threads, 0, static_cast<cudaStream_t>(stream)>>>(n, in, out);
}

template void launch_study_kernel<Saxpy>(void*, std::size_t, const float*, float*);
template void launch_study_kernel<WriteConstant>(void*, std::size_t, const float*, float*);
template void launch_study_kernel<BlackAndWhite>(void*, std::size_t, const float*, float*);
template void launch_study_kernel<Hilbert>(void*, std::size_t, const float*, float*);
template void launch_study_kernel<MonteCarlo>(void*, std::size_t, const float*, float*);
template void launch_study_kernel<BlackScholes>(void*, std::size_t, const float*, float*);
template void launch_study_kernel<Dft>(void*, std::size_t, const float*, float*);
template void launch_study_kernel<NBody>(void*, std::size_t, const float*, float*);

}  // namespace meander::bench
