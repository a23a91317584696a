// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/point_samples.hpp"

#include <algorithm>
#include <cmath>

#include "base/assert.hpp"

namespace meander::simulation {
namespace {

constexpr double face_tolerance = 1e-9;  // of a volume
constexpr int most_nodes = PointStencil::most_nodes;

// Lagrange polynomials through 0 .. nodes - 1 and their derivatives, at `at`.
void lagrange(int nodes, double at, double* weight, double* slope) {
  for (int m = 0; m < nodes; ++m) {
    weight[m] = 1;
    slope[m] = 0;
    for (int n = 0; n < nodes; ++n) {
      if (n == m) continue;
      const double over = 1.0 / (m - n), factor = (at - n) * over;
      slope[m] = slope[m] * factor + weight[m] * over;
      weight[m] *= factor;
    }
  }
}

// The volume of the first node, of the first unknown.
const double* first_node(const PointStencil& stencil, const solvers::PatchTask& patch,
                         const solvers::PatchLayout& layout) {
  return patch.q + layout.at(0, stencil.first[0], stencil.first[1], stencil.first[2]);
}

// Sums over z and y are taken for all nodes along x side by side. `fixed`: the number of nodes, 0 where it is
// known at run time only.
template <int fixed>
double value_at(const PointStencil& stencil, const double* first, const solvers::PatchLayout& layout) {
  const int nodes = fixed > 0 ? fixed : stencil.nodes;
  double line[most_nodes] = {};
  for (int k = 0; k < nodes; ++k) {
    double plane[most_nodes] = {};
    for (int j = 0; j < nodes; ++j) {
      const double* row = first + k * layout.stride(2) + j * layout.stride(1);
      for (int i = 0; i < nodes; ++i) plane[i] += stencil.weight[1][j] * row[i];
    }
    for (int i = 0; i < nodes; ++i) line[i] += stencil.weight[2][k] * plane[i];
  }
  double sum = 0;
  for (int i = 0; i < nodes; ++i) sum += stencil.weight[0][i] * line[i];
  return sum;
}

template <int fixed>
PointValue derivatives_at(const PointStencil& stencil, const double* first,
                          const solvers::PatchLayout& layout) {
  const int nodes = fixed > 0 ? fixed : stencil.nodes;
  double line[most_nodes] = {}, line_y[most_nodes] = {}, line_z[most_nodes] = {};
  for (int k = 0; k < nodes; ++k) {
    double plane[most_nodes] = {}, plane_y[most_nodes] = {};
    for (int j = 0; j < nodes; ++j) {
      const double* row = first + k * layout.stride(2) + j * layout.stride(1);
      for (int i = 0; i < nodes; ++i) {
        plane[i] += stencil.weight[1][j] * row[i];
        plane_y[i] += stencil.slope[1][j] * row[i];
      }
    }
    for (int i = 0; i < nodes; ++i) {
      line[i] += stencil.weight[2][k] * plane[i];
      line_y[i] += stencil.weight[2][k] * plane_y[i];
      line_z[i] += stencil.slope[2][k] * plane[i];
    }
  }
  PointValue sum;
  for (int i = 0; i < nodes; ++i) {
    sum.value += stencil.weight[0][i] * line[i];
    sum.derivative[0] += stencil.slope[0][i] * line[i];
    sum.derivative[1] += stencil.weight[0][i] * line_y[i];
    sum.derivative[2] += stencil.weight[0][i] * line_z[i];
  }
  return sum;
}

}  // namespace

bool holds(const solvers::PatchTask& patch, const solvers::PatchLayout& layout, const SamplePoint& x) {
  for (std::size_t a = 0; a < 3; ++a) {
    const double volumes = (x[a] - patch.lower[a]) / patch.dx;
    if (!(volumes >= -face_tolerance && volumes <= layout.p + face_tolerance)) return false;
  }
  return true;
}

std::vector<HeldPoint> hold_points(const StateView& view, std::span<const SamplePoint> points) {
  std::vector<std::vector<HeldPoint>> of_leaf(view.patches.size());
  view.team.for_chunks(of_leaf.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      for (std::size_t n = 0; n < points.size(); ++n) {
        if (holds(view.patches[leaf], view.layout, points[n])) of_leaf[leaf].push_back({leaf, n});
      }
    }
  });
  std::vector<HeldPoint> held;
  std::vector<char> marked(of_leaf.size(), 0);
  for (std::size_t leaf = 0; leaf < of_leaf.size(); ++leaf) {
    held.insert(held.end(), of_leaf[leaf].begin(), of_leaf[leaf].end());
    marked[leaf] = of_leaf[leaf].empty() ? 0 : 1;
  }
  if (view.fill_whole_halos) view.fill_whole_halos(marked);
  return held;
}

PointStencil stencil_at(const solvers::PatchTask& patch, const solvers::PatchLayout& layout,
                        const SamplePoint& x) {
  MEANDER_ASSERT(holds(patch, layout, x));
  PointStencil stencil;
  stencil.nodes = std::min(most_nodes, layout.edge());
  for (std::size_t a = 0; a < 3; ++a) {
    const double centres = (x[a] - patch.lower[a]) / patch.dx - 0.5;
    // An even number of nodes lies on both sides of the point; of an odd number the middle is nearest to it.
    const double shift = stencil.nodes % 2 == 0 ? 0.0 : 0.5;
    const int below = static_cast<int>(std::floor(centres + shift));
    // From a point on a face, also if rounding puts it beyond, three volumes outwards are enough.
    stencil.first[a] =
        std::clamp(below - (stencil.nodes - 1) / 2, -layout.h, layout.p + layout.h - stencil.nodes);
    lagrange(stencil.nodes, centres - stencil.first[a], stencil.weight[a], stencil.slope[a]);
    for (double& slope : stencil.slope[a]) slope /= patch.dx;
  }
  return stencil;
}

void gather(const PointStencil& stencil, const solvers::PatchTask& patch, const solvers::PatchLayout& layout,
            std::span<const int> unknowns, std::span<double> result) {
  MEANDER_ASSERT(result.size() == unknowns.size());
  const double* const first = first_node(stencil, patch, layout);
  for (std::size_t n = 0; n < unknowns.size(); ++n) {
    const double* of_unknown = first + unknowns[n] * layout.unknown_stride();
    result[n] = stencil.nodes == most_nodes ? value_at<most_nodes>(stencil, of_unknown, layout)
                                            : value_at<0>(stencil, of_unknown, layout);
  }
}

void gather(const PointStencil& stencil, const solvers::PatchTask& patch, const solvers::PatchLayout& layout,
            std::span<const int> unknowns, std::span<PointValue> result) {
  MEANDER_ASSERT(result.size() == unknowns.size());
  const double* const first = first_node(stencil, patch, layout);
  for (std::size_t n = 0; n < unknowns.size(); ++n) {
    const double* of_unknown = first + unknowns[n] * layout.unknown_stride();
    result[n] = stencil.nodes == most_nodes ? derivatives_at<most_nodes>(stencil, of_unknown, layout)
                                            : derivatives_at<0>(stencil, of_unknown, layout);
  }
}

}  // namespace meander::simulation
