// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The device kernels of an equation on the host, by blocks of one thread.

#include "solvers/block_fused.hpp"
#include "solvers/block_godunov.hpp"
#include "solvers/block_muscl.hpp"
#include "solvers/block_serial.hpp"
#include "solvers/pde_kernels.hpp"
#include "solvers/resident_kernels.hpp"

namespace meander::solvers {

template <Pde P>
void SerialKernels<P>::launch(const P& pde, const SchemeChoice& scheme, const DeviceBatch& batch) {
  with_scheme<P>(scheme, [&]<class Scheme>(std::type_identity<Scheme>) {
    update_serially<typename Scheme::template Block<P, 0>>(pde, batch);
  });
}

template <Pde P>
void SerialKernels<P>::launch_resident(const gpu::Execution& execution, const P& pde,
                                       const ResidentWork& work) {
  launch_resident_by(SerialLauncher{}, pde, on_host(execution, work.batch));
}

template <Pde P>
std::ptrdiff_t SerialKernels<P>::block_memory(const SchemeChoice& scheme, int p) {
  std::ptrdiff_t doubles = 0;
  with_scheme<P>(scheme, [&]<class Scheme>(std::type_identity<Scheme>) {
    doubles = Scheme::template Block<P, 0>::memory(p);
  });
  return doubles;
}

}  // namespace meander::solvers
