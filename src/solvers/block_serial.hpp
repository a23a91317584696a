// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Device kernels on the host, one block after another, each of one thread, for tests of GPU kernels without a
// GPU. The block's memory is filled with NaN before each kernel.

#include <algorithm>
#include <limits>
#include <vector>

#include "solvers/block_patch.hpp"

namespace meander::solvers {

// `batch`: as returned by HostView. Kernel: a block kernel's class, constructed from (pde, batch).
template <class Kernel>
void update_serially(const typename Kernel::Equation& pde, const DeviceBatch& batch) {
  const Kernel kernel(pde, batch);
  const SerialBlock block;
  std::vector<double> memory(static_cast<std::size_t>(Kernel::memory(batch.layout.p)));
  for (int i = 0; i < batch.count; ++i) {
    std::fill(memory.begin(), memory.end(), std::numeric_limits<double>::quiet_NaN());
    BlockStatus status;
    kernel.update(block, batch.patches[i], status, memory.data());
    status.write(batch.status[i]);
  }
}

}  // namespace meander::solvers
