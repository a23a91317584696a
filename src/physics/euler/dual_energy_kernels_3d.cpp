// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The CPU kernels of all schemes with dual energy in 3D.
#include "physics/euler/dual_energy_terms.hpp"
#include "solvers/pde_kernels_cpu.hpp"

namespace meander::solvers {

template void PdeKernels<euler::DualEnergyTerms<3>>::update(const euler::DualEnergyTerms<3>&,
                                                            const SchemeChoice&, std::span<const PatchTask>,
                                                            const PatchLayout&, double, double,
                                                            const euler::SphericalGravity&,
                                                            std::span<PatchStatus>);
template PatchStatus PdeKernels<euler::DualEnergyTerms<3>>::inspect(const euler::DualEnergyTerms<3>&,
                                                                    const PatchTask&, const PatchLayout&);
template PatchStatus PdeKernels<euler::DualEnergyTerms<3>>::enforce_floors(const euler::DualEnergyTerms<3>&,
                                                                           const PatchTask&,
                                                                           const PatchLayout&);

}  // namespace meander::solvers
