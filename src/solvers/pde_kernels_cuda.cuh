// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The CUDA kernels of an equation. An equation outside the library adds them by one line in a .cu file of its
// program:
//   static const meander::solvers::WithCudaKernels<Advection> kernels;

#include "solvers/block_cuda.cuh"
#include "solvers/block_fused.hpp"
#include "solvers/block_godunov.hpp"
#include "solvers/block_muscl.hpp"
#include "solvers/pde_kernels.hpp"
#include "solvers/resident_cuda.cuh"

namespace meander::solvers {

// Patch sizes with kernels of their own: P::PatchSizes if defined.
template <Pde P>
struct PatchSizesOf {
  using type = KnownPatchSizes;
};
template <Pde P>
requires requires {
  typename P::PatchSizes;
}
struct PatchSizesOf<P> {
  using type = typename P::PatchSizes;
};

// A volume of a kernel of several phases needs all registers that a thread can have; two blocks of this number of
// threads fit.
constexpr int threads_of_phases = 128;

template <Pde P>
void CudaKernels<P>::launch(const gpu::Execution& execution, const P& pde, const SchemeChoice& scheme,
                            const DeviceBatch& batch) {
  with_scheme<P>(scheme, [&]<class Scheme>(std::type_identity<Scheme>) {
    // Kernels for each patch size justify their compile time for the default Riemann solver only.
    using Sizes =
        std::conditional_t<Scheme::is_default, typename PatchSizesOf<P>::type, std::integer_sequence<int>>;
    if constexpr (Grouped<P>) {
      with_block_kernel<P, Scheme, Sizes>(batch, [&]<class Kernel>(std::type_identity<Kernel>) {
        launch_phases_on_cuda<Kernel, threads_of_phases>(execution, pde, batch);
      });
    } else {
      with_patch_size<P, Sizes>(batch.layout.p, [&](auto p) {
        constexpr int known = decltype(p)::value;
        launch_on_cuda_blocks<typename Scheme::template Block<P, known>, known>(execution, pde, batch);
      });
    }
  });
}

template <Pde P>
void CudaKernels<P>::launch_resident(const gpu::Execution& execution, const P& pde,
                                     const ResidentWork& work) {
  launch_resident_by(CudaLauncher{execution.native_queue()}, pde, work.batch);
}

// Law: as for simulation::register_equation().
template <template <int> class Law>
struct WithCudaKernels {
  WithCudaKernels() {
    use<Law<2>>();
    use<Law<3>>();
  }

 private:
  template <Pde P>
  static void use() {
    DeviceKernels<P>::cuda = DeviceFunctions<P>::template of<CudaKernels<P>>();
  }
};

}  // namespace meander::solvers
