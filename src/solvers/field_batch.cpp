// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/field_batch.hpp"

#include "solvers/field_kernels.hpp"
#include "solvers/resident_kernels.hpp"

namespace meander::solvers {

// In field_batch.cu and field_batch_target.cpp.
void launch_field_on_cuda(const gpu::Execution& execution, const FieldBatch& batch);
void launch_field_on_openmp(const gpu::Execution& execution, const FieldBatch& batch);

void launch_field(const gpu::Execution& execution, const FieldBatch& batch) {
  if (execution.on_host()) {
    FieldBatch here = batch;
    std::visit(
        [&](auto& any) {
          if (any.count == 0) return;
          if constexpr (requires { any.copies; }) {
            if (any.kind == PotentialBatch::Kind::kick_copies) {
              any.at = addresses_on_host(execution, any.copies, any.count);
              return;
            }
          }
          any.at = addresses_on_host(execution, table_of(any), any.count);
        },
        here);
    return launch_field_by(SerialLauncher{}, here);
  }
#if defined(MEANDER_OPENMP)
  launch_field_on_openmp(execution, batch);
#elif defined(MEANDER_CUDA)
  launch_field_on_cuda(execution, batch);
#else
  throw gpu::DeviceError("no kernels on resident patches for this device", false);
#endif
}

}  // namespace meander::solvers
