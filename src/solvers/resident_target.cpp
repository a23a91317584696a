// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/resident_openmp.hpp"

namespace meander::solvers {

void launch_general_on_openmp(const gpu::Execution& execution, const GeneralBatch& batch) {
  const OpenMpLauncher launcher{execution.openmp_device()};
  const bool is_flat = std::visit([](const auto& any) { return any.layout.dim == 2; }, batch);
  return is_flat ? launch_general_by<2>(launcher, batch) : launch_general_by<3>(launcher, batch);
}

}  // namespace meander::solvers
