// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/leaf_shells.hpp"

#include <bit>

#include "solvers/pack.hpp"
#include "solvers/workspace.hpp"

namespace meander::solvers {
namespace {

using V = Pack;
constexpr int W = lanes<V>;
constexpr double magic = 6755399441055744.0;  // 1.5 * 2^52: the last digit of a sum with it is the unit

// Copies the volumes of a row, and some more.
void copy_row(const double* from, double* to, int count) {
  for (int i = 0; i < count; i += W) store(to + i, load<V>(from + i));
}

template <int D>
void add_leaf(const LeafShells& shells, const PatchTask& patch, const PatchLayout& layout,
              const LeafShells::Edges& given, std::uint64_t* slots) {
  constexpr int unknowns = 1 + D;
  const int p = layout.p, n = p * p;
  const std::ptrdiff_t stride = (n + 2 * W) / W * W;  // rows write up to a pack beyond
  double* const scratch = workspace(layout).scratch.reserve((unknowns + 3) * stride);
  double *const x = scratch + unknowns * stride, *const y = x + stride, *const square = y + stride;
  for (int j = 0, at = 0; j < p; ++j) {
    const double yj = patch.lower[1] + (j + 0.5) * patch.dx - shells.centre[1];
    for (int i = 0; i < p; ++i, ++at) {
      const double xi = patch.lower[0] + (i + 0.5) * patch.dx - shells.centre[0];
      x[at] = xi;
      y[at] = yj;
      square[at] = xi * xi + yj * yj;
    }
  }
  const V volume(D == 3 ? patch.dx * patch.dx * patch.dx : patch.dx * patch.dx), per_width(given.per_width),
      zero(0.0), half(0.5), constant(shells.constant), excess_scale(shells.excess_scale),
      radial_scale(shells.radial_scale), first_edge(given.first), last_edge(given.last), to_integer(magic);
  for (int k = 0; k < (D == 3 ? p : 1); ++k) {
    const V z(D == 3 ? patch.lower[2] + (k + 0.5) * patch.dx - shells.centre[2] : 0.0), z_square = z * z;
    for (int u = 0; u < unknowns; ++u) {
      for (int j = 0; j < p; ++j) copy_row(patch.q + layout.at(u, 0, j, k), scratch + u * stride + j * p, p);
    }
    for (int first = 0; first < n; first += W) {
      const double* const at = scratch + first;
      const V r = sqrt(load<V>(square + first) + z_square), s = r * per_width + half, edge = floor(s),
              above = s - edge;
      V along = load<V>(at + stride) * load<V>(x + first) + load<V>(at + 2 * stride) * load<V>(y + first);
      if constexpr (D == 3) along = along + load<V>(at + 3 * stride) * z;
      const V excess = (load<V>(at) - constant) * volume * excess_scale,
              radial = select(r > zero, along / r, zero) * volume * radial_scale;
      alignas(64) double integrals[LeafShells::slot_size][W], edges[W];
      store(integrals[0], excess + to_integer);
      store(integrals[1], radial + to_integer);
      store(integrals[2], excess * above + to_integer);
      store(integrals[3], radial * above + to_integer);
      store(edges, min(edge, last_edge) - first_edge);
      const int count = n - first < W ? n - first : W;
      for (int lane = 0; lane < count; ++lane) {
        std::uint64_t* const slot = slots + LeafShells::slot_size * static_cast<std::ptrdiff_t>(edges[lane]);
        for (int part = 0; part < LeafShells::slot_size; ++part)
          slot[part] +=
              std::bit_cast<std::uint64_t>(integrals[part][lane]) - std::bit_cast<std::uint64_t>(magic);
      }
    }
  }
}

}  // namespace

void LeafShells::add(const PatchTask& patch, const PatchLayout& layout, const Edges& edges,
                     std::uint64_t* slots) const {
  layout.dim == 3 ? add_leaf<3>(*this, patch, layout, edges, slots)
                  : add_leaf<2>(*this, patch, layout, edges, slots);
}

}  // namespace meander::solvers
