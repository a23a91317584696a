// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/resident.hpp"

#include "solvers/resident_kernels.hpp"

namespace meander::solvers {

// In resident.cu and resident_target.cpp.
void launch_general_on_cuda(const gpu::Execution& execution, const GeneralBatch& batch);
void launch_general_on_openmp(const gpu::Execution& execution, const GeneralBatch& batch);

void launch_general(const gpu::Execution& execution, const GeneralBatch& batch) {
  if (execution.on_host()) {
    const GeneralBatch here = on_host(execution, batch);
    const bool is_flat = std::visit([](const auto& any) { return any.layout.dim == 2; }, here);
    return is_flat ? launch_general_by<2>(SerialLauncher{}, here)
                   : launch_general_by<3>(SerialLauncher{}, here);
  }
#if defined(MEANDER_OPENMP)
  launch_general_on_openmp(execution, batch);
#elif defined(MEANDER_CUDA)
  launch_general_on_cuda(execution, batch);
#else
  throw gpu::DeviceError("no kernels on resident patches for this device", false);
#endif
}

}  // namespace meander::solvers
