// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The kernels of an equation P for every scheme of its list, by back end. They are declared here for solvers
// (pde_solver.hpp). Each back end is defined in its own header, included where it is compiled:
// pde_kernels_cpu.hpp, pde_kernels_serial.hpp, pde_kernels_cuda.cuh, pde_kernels_openmp.hpp. An equation of
// the library instantiates each back end in its own source file.

#include <cstddef>
#include <span>

#include "solvers/device_batch.hpp"
#include "solvers/resident.hpp"
#include "solvers/scheme.hpp"

namespace meander::solvers {

template <Pde P>
struct PdeKernels {
  // Solver::update() on the CPU.
  static void update(const P& pde, const SchemeChoice& scheme, std::span<const PatchTask> tasks,
                     const PatchLayout& layout, double t, double dt, const typename P::StepData& step,
                     std::span<PatchStatus> status);
  static PatchStatus inspect(const P& pde, const PatchTask& task, const PatchLayout& layout);
  static PatchStatus enforce_floors(const P& pde, const PatchTask& task, const PatchLayout& layout);

  // Solver::launch() on the host, by blocks of one thread. `batch`: as returned by HostView.
  static void launch_serially(const P& pde, const SchemeChoice& scheme, const DeviceBatch& batch);
  // Doubles of block memory for one patch.
  static std::ptrdiff_t block_memory(const SchemeChoice& scheme, int p);

  // Solver::launch_resident() on an emulated device, by blocks of one thread.
  static void launch_resident_serially(const gpu::Execution& execution, const P& pde,
                                       const ResidentWork& work);

  // Solver::launch() on CUDA.
  static void launch_on_cuda(const gpu::Execution& execution, const P& pde, const SchemeChoice& scheme,
                             const DeviceBatch& batch);
  static void launch_resident_on_cuda(void* stream, const P& pde, const ResidentWork& work);
  // Solver::launch() by OpenMP. Returns after the batch is complete.
  static void launch_on_openmp(const gpu::Execution& execution, const P& pde, const SchemeChoice& scheme,
                               const DeviceBatch& batch);
};

// The back ends of P in addition to the CPU that the program contains. Set before the first solver of P is
// constructed.
template <Pde P>
struct DeviceKernels {
  static inline decltype(&PdeKernels<P>::launch_on_cuda) cuda = nullptr;
  static inline decltype(&PdeKernels<P>::launch_resident_on_cuda) resident_cuda = nullptr;
  static inline decltype(&PdeKernels<P>::launch_on_openmp) openmp = nullptr;
};

}  // namespace meander::solvers
