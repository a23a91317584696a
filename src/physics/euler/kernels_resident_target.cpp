// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The kernels on resident patches as target regions of OpenMP.
#include "physics/euler/dual_energy_terms.hpp"
#include "solvers/resident_openmp.hpp"

namespace meander::solvers {

#define MEANDER_INSTANTIATE(P) \
  template void launch_resident_on_openmp<P>(const gpu::Execution&, const P&, const ResidentWork&);
MEANDER_INSTANTIATE(euler::Terms<2>)
MEANDER_INSTANTIATE(euler::Terms<3>)
MEANDER_INSTANTIATE(euler::DualEnergyTerms<2>)
MEANDER_INSTANTIATE(euler::DualEnergyTerms<3>)
#undef MEANDER_INSTANTIATE

}  // namespace meander::solvers
