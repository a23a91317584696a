// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The CPU kernels of all schemes.
#include "physics/ccz4/terms.hpp"
#include "solvers/pde_kernels_cpu.hpp"

namespace meander::solvers {

template struct CpuKernels<ccz4::Terms>;

}  // namespace meander::solvers
