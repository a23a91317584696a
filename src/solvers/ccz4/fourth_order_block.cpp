// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/block_serial.hpp"
#include "solvers/block_together.hpp"
#include "solvers/ccz4/kernels.hpp"

namespace meander::solvers::ccz4 {

void launch_fourth_order_serially(const Terms& terms, const DeviceBatch& batch) {
  update_serially<BlockFourthOrder<Terms>>(terms, batch);
}

}  // namespace meander::solvers::ccz4
