// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The CUDA kernels of all schemes in 2D.
#include "physics/euler/dual_energy_terms.hpp"
#include "solvers/pde_kernels_cuda.cuh"

namespace meander::solvers {

template struct CudaKernels<euler::DualEnergyTerms<2>>;

}  // namespace meander::solvers
