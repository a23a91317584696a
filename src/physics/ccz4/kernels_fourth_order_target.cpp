// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/kernels.hpp"
#include "solvers/block_fused.hpp"
#include "solvers/launch_openmp.hpp"

namespace meander::ccz4 {

void launch_fourth_order_on_openmp(const gpu::Execution& execution, const Terms& terms,
                                   const DeviceBatch& batch) {
  with_fourth_order<Terms, std::integer_sequence<int>>(batch, [&]<class Kernel>(std::type_identity<Kernel>) {
    launch_on_openmp_teams<Kernel>(execution, terms, batch);
  });
}

}  // namespace meander::ccz4
