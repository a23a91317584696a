// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/kernels.hpp"
#include "solvers/resident_kernels.hpp"

namespace meander::ccz4 {

void launch_resident_serially(const gpu::Execution& execution, const Terms& terms, const ResidentWork& work) {
  launch_resident_by(SerialLauncher{}, terms, on_host(execution, work.batch));
}

}  // namespace meander::ccz4
