// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The kernels of all schemes as target regions of OpenMP.
#include "physics/euler/dual_energy_terms.hpp"
#include "solvers/pde_kernels_openmp.hpp"

namespace meander::solvers {

template void PdeKernels<euler::Terms<2>>::launch_on_openmp(const gpu::Execution&, const euler::Terms<2>&,
                                                            const SchemeChoice&, const DeviceBatch&);
template void PdeKernels<euler::Terms<3>>::launch_on_openmp(const gpu::Execution&, const euler::Terms<3>&,
                                                            const SchemeChoice&, const DeviceBatch&);
template void PdeKernels<euler::DualEnergyTerms<2>>::launch_on_openmp(const gpu::Execution&,
                                                                      const euler::DualEnergyTerms<2>&,
                                                                      const SchemeChoice&,
                                                                      const DeviceBatch&);
template void PdeKernels<euler::DualEnergyTerms<3>>::launch_on_openmp(const gpu::Execution&,
                                                                      const euler::DualEnergyTerms<3>&,
                                                                      const SchemeChoice&,
                                                                      const DeviceBatch&);

}  // namespace meander::solvers
