// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Device kernels of an equation that brings nothing but its terms: for patches of any size, by block. They
// run on the host as they are; on CUDA where the equation's owner has them compiled by nvcc (pde_cuda.cuh).

#include <cstdint>
#include <type_traits>

#include "solvers/block_muscl.hpp"
#include "solvers/block_rusanov.hpp"
#include "solvers/limiters.hpp"

namespace meander::solvers {

enum class Scheme : std::uint8_t { rusanov, muscl_minmod, muscl_mc };

// Calls body(std::type_identity<Kernel>()) for the block kernel of a scheme, one of muscl's only where P is
// Reconstructible.
template <Pde P, class Body>
void with_block_kernel(Scheme scheme, const Body& body) {
  if constexpr (Reconstructible<P>) {
    if (scheme == Scheme::muscl_minmod) return body(std::type_identity<BlockMuscl<P, MinMod, 0>>());
    if (scheme == Scheme::muscl_mc) return body(std::type_identity<BlockMuscl<P, MonotonizedCentral, 0>>());
  }
  body(std::type_identity<BlockRusanov<P, 0>>());
}

// Set before main() by the .cu file that has the kernels of P; else null.
template <Pde P>
struct CudaKernels {
  static inline void (*launch)(void* stream, const P& pde, Scheme scheme, const DeviceBatch& batch) = nullptr;
};

}  // namespace meander::solvers
