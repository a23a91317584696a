// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/kernels.hpp"
#include "solvers/block_fused.hpp"
#include "solvers/block_serial.hpp"

namespace meander::ccz4 {

void launch_fourth_order_serially(const Terms& terms, const DeviceBatch& batch) {
  with_fourth_order<Terms, Terms::TestedSizes>(
      batch, [&]<class Kernel>(std::type_identity<Kernel>) { update_serially<Kernel>(terms, batch); });
}

}  // namespace meander::ccz4
