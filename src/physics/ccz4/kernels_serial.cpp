// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The device kernels of all schemes, on the host.
#include "physics/ccz4/terms.hpp"
#include "solvers/pde_kernels_serial.hpp"

namespace meander::solvers {

template struct SerialKernels<ccz4::Terms>;

}  // namespace meander::solvers
