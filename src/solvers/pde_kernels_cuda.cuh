// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The CUDA kernels of an equation. An equation outside the library adds them by one line in a .cu file of its
// program:
//   static const meander::solvers::WithCudaKernels<Advection> kernels;

#include "solvers/block_cuda.cuh"
#include "solvers/block_godunov.hpp"
#include "solvers/block_muscl.hpp"
#include "solvers/pde_kernels.hpp"
#include "solvers/resident_cuda.cuh"

namespace meander::solvers {

template <Pde P>
void PdeKernels<P>::launch_on_cuda(const gpu::Execution& execution, const P& pde, const SchemeChoice& scheme,
                                   const DeviceBatch& batch) {
  with_scheme<P>(scheme, [&]<class Scheme>(std::type_identity<Scheme>) {
    // Kernels for each patch size justify their compile time for the default Riemann solver only.
    using Sizes = std::conditional_t<Scheme::is_default, KnownPatchSizes, std::integer_sequence<int>>;
    with_patch_size<P, Sizes>(batch.layout.p, [&](auto p) {
      constexpr int known = decltype(p)::value;
      launch_on_cuda_blocks<typename Scheme::template Block<P, known>, known>(execution, pde, batch);
    });
  });
}

template <Pde P>
void PdeKernels<P>::launch_resident_on_cuda(void* stream, const P& pde, const ResidentWork& work) {
  launch_resident_by(CudaLauncher{stream}, pde, work.batch);
}

// Law: as for simulation::register_equation().
template <template <int> class Law>
struct WithCudaKernels {
  WithCudaKernels() {
    DeviceKernels<Law<2>>::cuda = PdeKernels<Law<2>>::launch_on_cuda;
    DeviceKernels<Law<3>>::cuda = PdeKernels<Law<3>>::launch_on_cuda;
    DeviceKernels<Law<2>>::resident_cuda = PdeKernels<Law<2>>::launch_resident_on_cuda;
    DeviceKernels<Law<3>>::resident_cuda = PdeKernels<Law<3>>::launch_resident_on_cuda;
  }
};

}  // namespace meander::solvers
