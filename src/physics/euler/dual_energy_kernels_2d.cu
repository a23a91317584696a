// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The CUDA kernels of all schemes with dual energy in 2D.
#include "physics/euler/dual_energy_terms.hpp"
#include "solvers/pde_kernels_cuda.cuh"

namespace meander::solvers {

template void PdeKernels<euler::DualEnergyTerms<2>>::launch_on_cuda(const gpu::Execution&,
                                                                    const euler::DualEnergyTerms<2>&,
                                                                    const SchemeChoice&, const DeviceBatch&);
template void PdeKernels<euler::DualEnergyTerms<2>>::launch_resident_on_cuda(void*,
                                                                             const euler::DualEnergyTerms<2>&,
                                                                             const ResidentWork&);

}  // namespace meander::solvers
