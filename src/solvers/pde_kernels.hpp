// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The kernels of an equation P for every scheme of its list, by back end. They are declared here for solvers
// (pde_solver.hpp). Each back end is defined in its own header, included where it is compiled:
// pde_kernels_cpu.hpp, pde_kernels_serial.hpp, pde_kernels_cuda.cuh, pde_kernels_openmp.hpp. An equation of
// the library instantiates each back end in a source file of its own, by a line such as
//   template struct CudaKernels<Terms<3>>;

#include <cstddef>
#include <span>

#include "solvers/device_batch.hpp"
#include "solvers/resident.hpp"
#include "solvers/scheme.hpp"

namespace meander::solvers {

// With SIMD packs: Solver::update(), inspect(), enforce_floors().
template <Pde P>
struct CpuKernels {
  static void update(const P& pde, const SchemeChoice& scheme, std::span<const PatchTask> tasks,
                     const PatchLayout& layout, int stage, double t, double dt,
                     const typename P::StepData& step, std::span<PatchStatus> status);
  static PatchStatus inspect(const P& pde, const PatchTask& task, const PatchLayout& layout);
  static PatchStatus enforce_floors(const P& pde, const PatchTask& task, const PatchLayout& layout);
};

// On an emulated device, by blocks of one thread: Solver::launch(), with a batch as returned by HostView, and
// launch_resident().
template <Pde P>
struct SerialKernels {
  static void launch(const P& pde, const SchemeChoice& scheme, const DeviceBatch& batch);
  static void launch_resident(const gpu::Execution& execution, const P& pde, const ResidentWork& work);
  // Doubles of block memory for one patch.
  static std::ptrdiff_t block_memory(const SchemeChoice& scheme, int p);
};

template <Pde P>
struct CudaKernels {
  static void launch(const gpu::Execution& execution, const P& pde, const SchemeChoice& scheme,
                     const DeviceBatch& batch);
  static void launch_resident(const gpu::Execution& execution, const P& pde, const ResidentWork& work);
};

// As target regions of OpenMP. Each returns after the batch is complete.
template <Pde P>
struct OpenMpKernels {
  static void launch(const gpu::Execution& execution, const P& pde, const SchemeChoice& scheme,
                     const DeviceBatch& batch);
  static void launch_resident(const gpu::Execution& execution, const P& pde, const ResidentWork& work);
};

// The functions of a back end that the program contains, or null.
template <Pde P>
struct DeviceFunctions {
  decltype(&CudaKernels<P>::launch) launch = nullptr;
  decltype(&CudaKernels<P>::launch_resident) launch_resident = nullptr;

  template <class Kernels>
  static DeviceFunctions of() {
    return {&Kernels::launch, &Kernels::launch_resident};
  }
};

// The back ends of P in addition to the CPU. Set before the first solver of P is constructed.
template <Pde P>
struct DeviceKernels {
  static inline DeviceFunctions<P> cuda, openmp;

  // Sets those that the library was built with; for equations that instantiate them.
  static void use_built() {
#ifdef MEANDER_CUDA
    cuda = DeviceFunctions<P>::template of<CudaKernels<P>>();
#endif
#ifdef MEANDER_OPENMP
    openmp = DeviceFunctions<P>::template of<OpenMpKernels<P>>();
#endif
  }
};

}  // namespace meander::solvers
