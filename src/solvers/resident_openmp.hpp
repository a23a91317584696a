// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The kernels on resident patches as OpenMP target regions with a team of threads for each block. For
// translation units that are compiled for offloading.

#include <type_traits>

#include "solvers/launch_openmp.hpp"
#include "solvers/resident_kernels.hpp"

namespace meander::solvers {

// Each call copies the kernel to the device as it is, and returns after completion.
struct OpenMpLauncher {
  int device = 0;  // OpenMP device number

  template <class Kernel>
  void operator()(const Kernel& given, int count) const {
    static_assert(std::is_trivially_copyable_v<Kernel>);
    const Kernel kernel = given;
    const int number = device, threads = openmp_threads(number);
#pragma omp target teams distribute firstprivate(kernel) device(number)
    for (int i = 0; i < count; ++i) {
      BlockStatus statuses[OpenMpBlock::most_threads];
#pragma omp parallel num_threads(threads)
      kernel.run(OpenMpBlock(omp_get_thread_num(), omp_get_num_threads(), statuses), i);
    }
  }
};

}  // namespace meander::solvers
