// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/field_kernels.hpp"
#include "solvers/resident_openmp.hpp"

namespace meander::solvers {

void launch_field_on_openmp(const gpu::Execution& execution, const FieldBatch& batch) {
  launch_field_by(OpenMpLauncher{execution.openmp_device()}, batch);
}

}  // namespace meander::solvers
