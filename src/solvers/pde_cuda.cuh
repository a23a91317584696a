// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// CUDA kernels of an equation from outside the library, by one line in a .cu file of its program:
//   static const meander::solvers::WithCudaKernels<Advection> kernels;

#include "solvers/block_cuda.cuh"
#include "solvers/pde_kernels.hpp"

namespace meander::solvers {

template <Pde P>
void launch_pde_on_cuda(void* stream, const P& pde, Scheme scheme, const DeviceBatch& batch) {
  with_block_kernel<P>(
      scheme, [&](auto kernel) { launch_on_cuda<typename decltype(kernel)::type, 0>(stream, pde, batch); });
}

// Law: as for simulation::register_equation().
template <template <int> class Law>
struct WithCudaKernels {
  WithCudaKernels() {
    CudaKernels<Law<2>>::launch = launch_pde_on_cuda<Law<2>>;
    CudaKernels<Law<3>>::launch = launch_pde_on_cuda<Law<3>>;
  }
};

}  // namespace meander::solvers
