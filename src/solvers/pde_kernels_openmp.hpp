// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The kernels of an equation as target regions of OpenMP. For translation units that are compiled for offloading.

#include "solvers/block_godunov.hpp"
#include "solvers/block_muscl.hpp"
#include "solvers/launch_openmp.hpp"
#include "solvers/pde_kernels.hpp"

namespace meander::solvers {

// Not specialised by patch size, which would add about a minute to the device compilation.
template <Pde P>
void PdeKernels<P>::launch_on_openmp(const gpu::Execution& execution, const P& pde,
                                     const SchemeChoice& scheme, const DeviceBatch& batch) {
  with_scheme<P>(scheme, [&]<class Scheme>(std::type_identity<Scheme>) {
    launch_on_openmp_teams<typename Scheme::template Block<P, 0>>(execution, pde, batch);
  });
}

}  // namespace meander::solvers
