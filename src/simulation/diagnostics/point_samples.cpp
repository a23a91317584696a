// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/diagnostics/point_samples.hpp"

#include <algorithm>
#include <cmath>

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

bool reads_halo(const PointStencil& stencil, int p) {
  for (std::size_t a = 0; a < 3; ++a) {
    if (stencil.first[a] < 0 || stencil.first[a] + stencil.nodes[a] > p) return true;
  }
  return false;
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

void sample_at(const PointStencil& stencil, const solvers::PatchTask& patch,
               const solvers::PatchLayout& layout, const PointQuery& query, double* sample) {
  const double* const first = patch.q + layout.at(0, stencil.first[0], stencil.first[1], stencil.first[2]);
  const auto set = stencil.has_all_nodes() ? solvers::sample_unknown<true> : solvers::sample_unknown<false>;
  for (int n = 0; n < query.unknowns; ++n) set(stencil, first, layout, query, n, sample);
}

}  // namespace meander::simulation
