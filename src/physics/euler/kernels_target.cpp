// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The kernels of all schemes as target regions of OpenMP.
#include "physics/euler/dual_energy_terms.hpp"
#include "solvers/pde_kernels_openmp.hpp"

namespace meander::solvers {

template struct OpenMpKernels<euler::Terms<2>>;
template struct OpenMpKernels<euler::Terms<3>>;
template struct OpenMpKernels<euler::DualEnergyTerms<2>>;
template struct OpenMpKernels<euler::DualEnergyTerms<3>>;

}  // namespace meander::solvers
