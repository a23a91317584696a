// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The CPU kernels of all schemes in 2D.
#include "physics/euler/terms.hpp"
#include "solvers/pde_kernels_cpu.hpp"

namespace meander::solvers {

template void PdeKernels<euler::Terms<2>>::update(const euler::Terms<2>&, const SchemeChoice&,
                                                  std::span<const PatchTask>, const PatchLayout&, double,
                                                  double, const euler::SphericalGravity&,
                                                  std::span<PatchStatus>);
template PatchStatus PdeKernels<euler::Terms<2>>::inspect(const euler::Terms<2>&, const PatchTask&,
                                                          const PatchLayout&);
template PatchStatus PdeKernels<euler::Terms<2>>::enforce_floors(const euler::Terms<2>&, const PatchTask&,
                                                                 const PatchLayout&);

}  // namespace meander::solvers
