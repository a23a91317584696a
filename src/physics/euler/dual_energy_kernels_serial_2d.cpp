// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The device kernels of all schemes with dual energy in 2D, on the host.
#include "physics/euler/dual_energy_terms.hpp"
#include "solvers/pde_kernels_serial.hpp"

namespace meander::solvers {

template void PdeKernels<euler::DualEnergyTerms<2>>::launch_serially(const euler::DualEnergyTerms<2>&,
                                                                     const SchemeChoice&, const DeviceBatch&);
template void PdeKernels<euler::DualEnergyTerms<2>>::launch_resident_serially(
    const gpu::Execution&, const euler::DualEnergyTerms<2>&, const ResidentWork&);
template std::ptrdiff_t PdeKernels<euler::DualEnergyTerms<2>>::block_memory(const SchemeChoice&, int);

}  // namespace meander::solvers
