// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The CUDA kernels of all schemes in 2D.
#include "physics/euler/terms.hpp"
#include "solvers/pde_kernels_cuda.cuh"

namespace meander::solvers {

template void PdeKernels<euler::Terms<2>>::launch_on_cuda(const gpu::Execution&, const euler::Terms<2>&,
                                                          const SchemeChoice&, const DeviceBatch&);
template void PdeKernels<euler::Terms<2>>::launch_resident_on_cuda(void*, const euler::Terms<2>&,
                                                                   const ResidentWork&);

}  // namespace meander::solvers
