// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/ccz4/weyl.hpp"

namespace meander::solvers::ccz4 {

Weyl<double> weyl_of_volume(const PatchTask& task, const PatchLayout& layout, int i, int j, int k) {
  const double near = layout.h < 2 ? 0.5 / task.dx : 2.0 / (3.0 * task.dx),
               far = layout.h < 2 ? 0.0 : -1.0 / (12.0 * task.dx);
  double q[unknowns], gradient[3 * unknowns];
  for (int n = 0; n < unknowns; ++n) {
    const double* at = task.q + layout.at(n, i, j, k);
    q[n] = *at;
    for (int a = 0; a < 3; ++a) {
      const std::ptrdiff_t s = layout.stride(a);
      double& slope = gradient[a * unknowns + n];
      slope = near * (at[s] - at[-s]);
      if (layout.h >= 2) slope += far * (at[2 * s] - at[-2 * s]);
    }
  }
  return weyl(q, gradient);
}

}  // namespace meander::solvers::ccz4
