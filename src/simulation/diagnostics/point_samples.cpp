// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/diagnostics/point_samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/assert.hpp"
#include "mesh/neighbours.hpp"

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

// The value of the first unknown in the volume of the first node.
const double* first_node(const PointStencil& stencil, const solvers::PatchTask& patch,
                         const solvers::PatchLayout& layout) {
  return patch.q + layout.at(0, stencil.first[0], stencil.first[1], stencil.first[2]);
}

// Sums over z and y for all nodes along x at once. `fixed`: the number of nodes along each axis, 0 if known
// at run time only.
template <int fixed>
double value_at(const PointStencil& stencil, const double* first, const solvers::PatchLayout& layout) {
  const auto nodes = [&](std::size_t axis) { return fixed > 0 ? fixed : stencil.nodes[axis]; };
  double line[most_nodes] = {};
  for (int k = 0; k < nodes(2); ++k) {
    double plane[most_nodes] = {};
    for (int j = 0; j < nodes(1); ++j) {
      const double* row = first + k * layout.stride(2) + j * layout.stride(1);
      for (int i = 0; i < nodes(0); ++i) plane[i] += stencil.weight[1][j] * row[i];
    }
    for (int i = 0; i < nodes(0); ++i) line[i] += stencil.weight[2][k] * plane[i];
  }
  double sum = 0;
  for (int i = 0; i < nodes(0); ++i) sum += stencil.weight[0][i] * line[i];
  return sum;
}

template <int fixed>
PointValue derivatives_at(const PointStencil& stencil, const double* first,
                          const solvers::PatchLayout& layout) {
  const auto nodes = [&](std::size_t axis) { return fixed > 0 ? fixed : stencil.nodes[axis]; };
  double line[most_nodes] = {}, line_y[most_nodes] = {}, line_z[most_nodes] = {};
  for (int k = 0; k < nodes(2); ++k) {
    double plane[most_nodes] = {}, plane_y[most_nodes] = {};
    for (int j = 0; j < nodes(1); ++j) {
      const double* row = first + k * layout.stride(2) + j * layout.stride(1);
      for (int i = 0; i < nodes(0); ++i) {
        plane[i] += stencil.weight[1][j] * row[i];
        plane_y[i] += stencil.slope[1][j] * row[i];
      }
    }
    for (int i = 0; i < nodes(0); ++i) {
      line[i] += stencil.weight[2][k] * plane[i];
      line_y[i] += stencil.weight[2][k] * plane_y[i];
      line_z[i] += stencil.slope[2][k] * plane[i];
    }
  }
  PointValue sum;
  for (int i = 0; i < nodes(0); ++i) {
    sum.value += stencil.weight[0][i] * line[i];
    sum.derivative[0] += stencil.slope[0][i] * line[i];
    sum.derivative[1] += stencil.weight[0][i] * line_y[i];
    sum.derivative[2] += stencil.weight[0][i] * line_z[i];
  }
  return sum;
}

bool has_all_nodes(const PointStencil& stencil) {
  return stencil.nodes == std::array{most_nodes, most_nodes, most_nodes};
}

// The volumes that a stencil may read: along each axis begin .. end - 1.
struct Window {
  std::array<int, 3> begin, end;
};

void place(PointStencil& stencil, const Window& window, const SamplePoint& centres) {
  for (std::size_t a = 0; a < 3; ++a) {
    const int nodes = stencil.nodes[a] = std::min(most_nodes, window.end[a] - window.begin[a]);
    // An even number of nodes lies on both sides of the point; of an odd number the middle is nearest to it.
    const int below = static_cast<int>(std::floor(centres[a] + (nodes % 2 == 0 ? 0.0 : 0.5)));
    stencil.first[a] = std::clamp(below - (nodes - 1) / 2, window.begin[a], window.end[a] - nodes);
  }
}

// Removes from the window the sides across which the stencil reads inexact halos, in directions along `axes`
// axes. Returns whether there were any.
bool narrow(Window& window, const PointStencil& stencil, int p, std::uint32_t inexact_halos, int axes) {
  const Window before = window;
  for (int direction = 0; direction < mesh::children<3>; ++direction) {
    if ((inexact_halos >> direction & 1) == 0) continue;
    const Index<3> offset = mesh::offset_of<3>(direction);
    bool reads = 3 - std::count(offset.begin(), offset.end(), 0) == axes;
    for (std::size_t a = 0; a < 3; ++a) {
      if (offset[a] < 0) reads = reads && stencil.first[a] < 0;
      if (offset[a] > 0) reads = reads && stencil.first[a] + stencil.nodes[a] > p;
    }
    for (std::size_t a = 0; a < 3 && reads; ++a) {
      if (offset[a] < 0) window.begin[a] = 0;
      if (offset[a] > 0) window.end[a] = p;
    }
  }
  return window.begin != before.begin || window.end != before.end;
}

}  // namespace

bool holds(const solvers::PatchTask& patch, const solvers::PatchLayout& layout, const SamplePoint& x) {
  for (std::size_t a = 0; a < 3; ++a) {
    const double volumes = (x[a] - patch.lower[a]) / patch.dx;
    if (!(volumes >= -face_tolerance && volumes <= layout.p + face_tolerance)) return false;
  }
  return true;
}

namespace {

// The box about the points.
struct Bounds {
  SamplePoint lower, upper;
};

Bounds bounds_of(std::span<const SamplePoint> points) {
  constexpr double far = std::numeric_limits<double>::infinity();
  Bounds bounds{{far, far, far}, {-far, -far, -far}};
  for (const SamplePoint& x : points) {
    for (std::size_t a = 0; a < 3; ++a) {
      bounds.lower[a] = std::min(bounds.lower[a], x[a]);
      bounds.upper[a] = std::max(bounds.upper[a], x[a]);
    }
  }
  return bounds;
}

bool meets(const solvers::PatchTask& patch, int p, const Bounds& bounds) {
  for (std::size_t a = 0; a < 3; ++a) {
    if (bounds.upper[a] < patch.lower[a] - patch.dx || bounds.lower[a] > patch.lower[a] + (p + 1) * patch.dx)
      return false;
  }
  return true;
}

bool reads_halo(const PointStencil& stencil, int p) {
  for (std::size_t a = 0; a < 3; ++a) {
    if (stencil.first[a] < 0 || stencil.first[a] + stencil.nodes[a] > p) return true;
  }
  return false;
}

}  // namespace

std::vector<HeldPoint> hold_points(const StateView& view, std::span<const SamplePoint> points) {
  std::vector<char> none;
  return hold_points(view, points, none);
}

std::vector<HeldPoint> hold_points(const StateView& view, std::span<const SamplePoint> points,
                                   std::vector<char>& filled) {
  const auto patches = view.patches.geometry();
  std::vector<std::vector<HeldPoint>> of_leaf(patches.size());
  const bool is_first = filled.empty();
  filled.resize(of_leaf.size(), 0);
  std::vector<char> marked = filled;
  const Bounds bounds = bounds_of(points);
  view.team.for_chunks(of_leaf.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      const solvers::PatchTask& patch = patches[leaf];
      if (!meets(patch, view.layout.p, bounds)) continue;
      const std::uint32_t inexact = view.inexact_halos.empty() ? 0 : view.inexact_halos[leaf];
      for (std::size_t n = 0; n < points.size(); ++n) {
        if (!holds(patch, view.layout, points[n])) continue;
        const HeldPoint held{leaf, n, stencil_at(patch, view.layout, points[n], inexact)};
        if (reads_halo(held.stencil, view.layout.p)) marked[leaf] = 1;
        of_leaf[leaf].push_back(held);
      }
    }
  });
  std::vector<HeldPoint> held;
  for (const auto& some : of_leaf) held.insert(held.end(), some.begin(), some.end());
  if (view.fill_whole_halos && view.communicator.any(is_first || marked != filled))
    view.fill_whole_halos(marked);
  filled = std::move(marked);
  return held;
}

PointStencil stencil_at(const solvers::PatchTask& patch, const solvers::PatchLayout& layout,
                        const SamplePoint& x, std::uint32_t inexact_halos) {
  MEANDER_ASSERT(holds(patch, layout, x));
  const int h = layout.h, p = layout.p;
  SamplePoint centres;
  for (std::size_t a = 0; a < 3; ++a) centres[a] = (x[a] - patch.lower[a]) / patch.dx - 0.5;
  Window window{{-h, -h, -h}, {p + h, p + h, p + h}};
  PointStencil stencil;
  place(stencil, window, centres);
  // Faces first: afterwards the stencil may no longer read inexact edges and corners.
  for (int axes = 1; inexact_halos != 0 && axes <= 3;) {
    const bool narrowed = narrow(window, stencil, p, inexact_halos, axes);
    if (narrowed) place(stencil, window, centres);
    axes = narrowed ? 1 : axes + 1;
  }
  for (std::size_t a = 0; a < 3; ++a) {
    lagrange(stencil.nodes[a], centres[a] - stencil.first[a], stencil.weight[a], stencil.slope[a]);
    for (double& slope : stencil.slope[a]) slope /= patch.dx;
  }
  return stencil;
}

void gather(const PointStencil& stencil, const solvers::PatchTask& patch, const solvers::PatchLayout& layout,
            std::span<const int> unknowns, std::span<double> result) {
  MEANDER_ASSERT(result.size() == unknowns.size());
  const auto sum = has_all_nodes(stencil) ? value_at<most_nodes> : value_at<0>;
  const double* const first = first_node(stencil, patch, layout);
  for (std::size_t n = 0; n < unknowns.size(); ++n)
    result[n] = sum(stencil, first + unknowns[n] * layout.unknown_stride(), layout);
}

void gather(const PointStencil& stencil, const solvers::PatchTask& patch, const solvers::PatchLayout& layout,
            std::span<const int> unknowns, std::span<PointValue> result) {
  MEANDER_ASSERT(result.size() == unknowns.size());
  const auto sum = has_all_nodes(stencil) ? derivatives_at<most_nodes> : derivatives_at<0>;
  const double* const first = first_node(stencil, patch, layout);
  for (std::size_t n = 0; n < unknowns.size(); ++n)
    result[n] = sum(stencil, first + unknowns[n] * layout.unknown_stride(), layout);
}

}  // namespace meander::simulation
