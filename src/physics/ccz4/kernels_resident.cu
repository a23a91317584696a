// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/kernels.hpp"
#include "solvers/resident_cuda.cuh"

namespace meander::ccz4 {

void launch_resident_on_cuda(void* stream, const Terms& terms, const ResidentWork& work) {
  launch_resident_by(CudaLauncher{stream}, terms, work.batch);
}

}  // namespace meander::ccz4
