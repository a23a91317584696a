// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The kernels of an equation as target regions of OpenMP. For translation units that are compiled for offloading.

#include "solvers/block_fused.hpp"
#include "solvers/block_godunov.hpp"
#include "solvers/block_muscl.hpp"
#include "solvers/launch_openmp.hpp"
#include "solvers/pde_kernels.hpp"
#include "solvers/resident_openmp.hpp"

namespace meander::solvers {

// Not specialised by patch size, which would add about a minute to the device compilation.
template <Pde P>
void OpenMpKernels<P>::launch(const gpu::Execution& execution, const P& pde, const SchemeChoice& scheme,
                              const DeviceBatch& batch) {
  with_scheme<P>(scheme, [&]<class Scheme>(std::type_identity<Scheme>) {
    with_block_kernel<P, Scheme, std::integer_sequence<int>>(
        batch, [&]<class Kernel>(std::type_identity<Kernel>) {
          launch_on_openmp_teams<Kernel>(execution, pde, batch);
        });
  });
}

template <Pde P>
void OpenMpKernels<P>::launch_resident(const gpu::Execution& execution, const P& pde,
                                       const ResidentWork& work) {
  launch_resident_by(OpenMpLauncher{execution.openmp_device()}, pde, work.batch);
}

}  // namespace meander::solvers
