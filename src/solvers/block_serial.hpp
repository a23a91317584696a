// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Device kernels on the host, one block after the other, each of one thread: so that what a GPU would run can
// be tested where there is none. The block's memory is full of NaN when a kernel begins.

#include <algorithm>
#include <limits>
#include <vector>

#include "solvers/block_patch.hpp"

namespace meander::solvers {

// `batch` as HostView gives it. Kernel: a block kernel's class, made from (pde, batch).
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
