// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/block_gather.hpp"
#include "solvers/resident_openmp.hpp"

namespace meander::solvers {

void launch_gather_on_openmp(const gpu::Execution& execution, const GatherBatch& batch) {
  OpenMpLauncher{execution.openmp_device()}(BlockGather(batch), BlockGather::blocks(batch));
}

}  // namespace meander::solvers
