// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/kernels.hpp"
#include "solvers/block_fused.hpp"
#include "solvers/block_serial.hpp"

namespace meander::ccz4 {

void launch_fourth_order_serially(const Terms& terms, const DeviceBatch& batch) {
  update_serially<BlockFourthOrder<Terms, true>>(terms, batch);
}

}  // namespace meander::ccz4
