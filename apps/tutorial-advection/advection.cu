// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The CUDA kernels, for builds with CUDA.
#include "advection.hpp"
#include "solvers/pde_kernels_cuda.cuh"

static const meander::solvers::WithCudaKernels<Advection> kernels;
