// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/kernels.hpp"
#include "solvers/block_serial.hpp"
#include "solvers/block_together.hpp"

namespace meander::ccz4 {

void launch_rusanov_serially(const Terms& terms, const DeviceBatch& batch) {
  update_serially<BlockRusanovTogether<Terms>>(terms, batch);
}

std::size_t rusanov_scratch_bytes(const PatchLayout& layout, int patches) {
  return block_scratch(BlockRusanovTogether<Terms>::memory(layout.p), patches);
}

}  // namespace meander::ccz4
