// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/kernels.hpp"
#include "solvers/block_fused.hpp"
#include "solvers/block_serial.hpp"

namespace meander::ccz4 {

void launch_rusanov_serially(const Terms& terms, const DeviceBatch& batch) {
  update_serially<BlockRusanovFused<Terms>>(terms, batch);
}

std::size_t rusanov_scratch_bytes(const PatchLayout& layout, int patches) {
// The parts of the kernel hand on wave speeds in it.
#if defined(MEANDER_OPENMP) || defined(MEANDER_CUDA)
  constexpr BlockMemory memory = BlockMemory::scratch;
#else
  constexpr BlockMemory memory = BlockMemory::shared;
#endif
  return block_scratch(BlockRusanovFused<Terms>::memory(layout.p), patches, memory);
}

}  // namespace meander::ccz4
