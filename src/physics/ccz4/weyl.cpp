// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/weyl.hpp"

#include "physics/ccz4/parameters.hpp"

namespace meander::ccz4 {
namespace {

template <bool imaginary>
void psi4_of_patch(const void* parameters, const PatchTask& task, const PatchLayout& layout,
                   std::span<double> values) {
  const double* middle = static_cast<const Parameters*>(parameters)->middle;
  std::size_t v = 0;
  for (int k = 0; k < layout.p; ++k) {
    for (int j = 0; j < layout.p; ++j) {
      for (int i = 0; i < layout.p; ++i, ++v) {
        const double x[3] = {task.lower[0] + (i + 0.5) * task.dx - middle[0],
                             task.lower[1] + (j + 0.5) * task.dx - middle[1],
                             task.lower[2] + (k + 0.5) * task.dx - middle[2]};
        Symmetric<double> metric;
        for (int n = 0; n < 6; ++n) metric.of[n] = task.q[layout.at(at::g + n, i, j, k)];
        const std::complex<double> value = psi4(weyl_of_volume(task, layout, i, j, k), metric, x);
        values[v] = imaginary ? value.imag() : value.real();
      }
    }
  }
}

}  // namespace

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

const std::vector<PatchQuantity>& psi4_quantities() {
  static const std::vector<PatchQuantity> quantities = {{"psi4_re", "1 / length^2", psi4_of_patch<false>},
                                                        {"psi4_im", "1 / length^2", psi4_of_patch<true>}};
  return quantities;
}

}  // namespace meander::ccz4
