// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The CUDA kernels of all schemes in 3D.
#include "physics/euler/terms.hpp"
#include "solvers/pde_kernels_cuda.cuh"

namespace meander::solvers {

template struct CudaKernels<euler::Terms<3>>;

}  // namespace meander::solvers
