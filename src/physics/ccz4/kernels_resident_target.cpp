// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/terms.hpp"
#include "solvers/resident_openmp.hpp"

namespace meander::solvers {

template void launch_resident_on_openmp<ccz4::Terms>(const gpu::Execution&, const ccz4::Terms&,
                                                     const ResidentWork&);

}  // namespace meander::solvers
