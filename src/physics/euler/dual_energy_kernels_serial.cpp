// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The device kernels of all schemes, on the host.
#include "physics/euler/dual_energy_terms.hpp"
#include "solvers/pde_kernels_serial.hpp"

namespace meander::solvers {

template struct SerialKernels<euler::DualEnergyTerms<2>>;
template struct SerialKernels<euler::DualEnergyTerms<3>>;

}  // namespace meander::solvers
