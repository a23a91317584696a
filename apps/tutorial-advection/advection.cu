// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// All that builds with CUDA want beside main.cpp.
#include "advection.hpp"
#include "solvers/pde_kernels_cuda.cuh"

static const meander::solvers::WithCudaKernels<Advection> kernels;
