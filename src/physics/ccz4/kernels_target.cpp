// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The kernels of all schemes as target regions of OpenMP.
#include "physics/ccz4/terms.hpp"
#include "solvers/pde_kernels_openmp.hpp"

namespace meander::solvers {

template struct OpenMpKernels<ccz4::Terms>;

}  // namespace meander::solvers
