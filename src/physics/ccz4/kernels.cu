// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The CUDA kernels of all schemes.
#include "physics/ccz4/terms.hpp"
#include "solvers/pde_kernels_cuda.cuh"

namespace meander::solvers {

template struct CudaKernels<ccz4::Terms>;

}  // namespace meander::solvers
