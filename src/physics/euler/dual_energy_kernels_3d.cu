// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The CUDA kernels of all schemes with dual energy in 3D.
#include "physics/euler/dual_energy_terms.hpp"
#include "solvers/pde_kernels_cuda.cuh"

namespace meander::solvers {

template void PdeKernels<euler::DualEnergyTerms<3>>::launch_on_cuda(const gpu::Execution&,
                                                                    const euler::DualEnergyTerms<3>&,
                                                                    const SchemeChoice&, const DeviceBatch&);
template void PdeKernels<euler::DualEnergyTerms<3>>::launch_resident_on_cuda(void*,
                                                                             const euler::DualEnergyTerms<3>&,
                                                                             const ResidentWork&);

}  // namespace meander::solvers
