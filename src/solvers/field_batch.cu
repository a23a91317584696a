// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/field_kernels.hpp"
#include "solvers/resident_cuda.cuh"

namespace meander::solvers {

void launch_field_on_cuda(const gpu::Execution& execution, const FieldBatch& batch) {
  launch_field_by(CudaLauncher{execution.native_queue()}, batch);
}

}  // namespace meander::solvers
