// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The kernels on resident patches of an equation P as OpenMP target regions. They are declared here for solvers
// and defined in resident_openmp.hpp, which an equation instantiates in a source file for offloading.

#include "solvers/pde.hpp"
#include "solvers/resident.hpp"

namespace meander::solvers {

// Solver::launch_resident() by OpenMP. Returns after the batch is complete.
template <Pde P>
void launch_resident_on_openmp(const gpu::Execution& execution, const P& pde, const ResidentWork& work);

// That function, if the program contains it. Set before the first solver of P is constructed.
template <Pde P>
struct ResidentOnOpenMp {
  static inline decltype(&launch_resident_on_openmp<P>) launch = nullptr;
};

// launch_general() by OpenMP, in builds with OpenMP offloading.
void launch_general_on_openmp(const gpu::Execution& execution, const GeneralBatch& batch);

}  // namespace meander::solvers
