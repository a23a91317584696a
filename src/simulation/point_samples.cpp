// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/point_samples.hpp"

#include <algorithm>
#include <cmath>

#include "base/assert.hpp"

namespace meander::simulation {
namespace {

constexpr double face_tolerance = 1e-9;  // of a volume

}  // namespace

bool holds(const solvers::PatchTask& patch, const solvers::PatchLayout& layout,
           const std::array<double, 3>& x) {
  for (std::size_t a = 0; a < 3; ++a) {
    const double volumes = (x[a] - patch.lower[a]) / patch.dx;
    if (!(volumes >= -face_tolerance && volumes <= layout.p + face_tolerance)) return false;
  }
  return true;
}

PointStencil stencil_at(const solvers::PatchTask& patch, const solvers::PatchLayout& layout,
                        const std::array<double, 3>& x) {
  MEANDER_ASSERT(holds(patch, layout, x));
  PointStencil stencil;
  stencil.nodes = std::min(PointStencil::most_nodes, layout.p);
  for (std::size_t a = 0; a < 3; ++a) {
    const double centres = (x[a] - patch.lower[a]) / patch.dx - 0.5;
    // An even number of nodes lies on both sides of the point; of an odd number the middle is nearest to it.
    const double shift = stencil.nodes % 2 == 0 ? 0.0 : 0.5;
    const int below = static_cast<int>(std::floor(centres + shift));
    stencil.first[a] = std::clamp(below - (stencil.nodes - 1) / 2, 0, layout.p - stencil.nodes);
    const double at = centres - stencil.first[a];
    for (int m = 0; m < stencil.nodes; ++m) {
      double& weight = stencil.weight[a][m] = 1;
      for (int n = 0; n < stencil.nodes; ++n) {
        if (n != m) weight *= (at - n) / (m - n);
      }
    }
  }
  return stencil;
}

double interpolate(const PointStencil& stencil, const double* values,
                   const std::array<std::ptrdiff_t, 3>& stride) {
  double sum = 0;
  for (int k = 0; k < stencil.nodes; ++k) {
    double plane = 0;
    for (int j = 0; j < stencil.nodes; ++j) {
      const double* row = values + (stencil.first[2] + k) * stride[2] + (stencil.first[1] + j) * stride[1] +
                          stencil.first[0] * stride[0];
      double line = 0;
      for (int i = 0; i < stencil.nodes; ++i) line += stencil.weight[0][i] * row[i * stride[0]];
      plane += stencil.weight[1][j] * line;
    }
    sum += stencil.weight[2][k] * plane;
  }
  return sum;
}

}  // namespace meander::simulation
