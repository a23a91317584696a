// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/boundary_fill.hpp"

#include <algorithm>
#include <utility>

namespace meander::mesh {
namespace {

// Fills the halo beyond a face by the polynomial, cubic if the patch is wide enough, through the last volumes
// before it: differences that read it are one-sided.
template <int D>
void extrapolate(const solvers::PatchLayout& layout, double* q, const solvers::Box<D>& box, int axis,
                 int side) {
  constexpr int most_nodes = 4;
  const auto a = static_cast<std::size_t>(axis);
  const int nodes = std::min(most_nodes, layout.p), last = side == 0 ? 0 : layout.p - 1;
  const std::ptrdiff_t inwards = side == 0 ? layout.stride(axis) : -layout.stride(axis);
  solvers::for_rows<D>(box, [&](Index<D> i) {
    for (int n = 0; n < box.extent[0]; ++n, ++i[0]) {
      const int beyond = side == 0 ? -i[a] : i[a] - last;
      double weight[most_nodes];
      for (int m = 0; m < nodes; ++m) {
        weight[m] = 1;
        for (int other = 0; other < nodes; ++other) {
          if (other != m) weight[m] *= static_cast<double>(-beyond - other) / (m - other);
        }
      }
      Index<D> edge = i;
      edge[a] = last;
      for (int u = 0; u < layout.unknowns; ++u) {
        const double* from = q + layout.at(u, edge);
        // As differences to the nearest: constants come out exactly.
        double sum = from[0];
        for (int m = 1; m < nodes; ++m) sum += weight[m] * (from[m * inwards] - from[0]);
        q[layout.at(u, i)] = sum;
      }
    }
  });
}

}  // namespace

template <int D>
BoundaryFill<D>::BoundaryFill(const solvers::Solver& solver, const solvers::PatchLayout& layout,
                              const Boundaries<D>& boundaries, GivenBoundary given)
    : layout_(layout), boundaries_(boundaries), given_(std::move(given)) {
  for (int a = 0; a < D; ++a) {
    reflection_[a].resize(static_cast<std::size_t>(layout_.unknowns));
    solver.reflection_signs(a, reflection_[a]);
  }
}

template <int D>
void BoundaryFill<D>::fill(const solvers::PatchTask& patch, const solvers::Box<D>& box, int face,
                           double t) const {
  const int axis = face / 2, side = face % 2, p = layout_.p;
  const BoundaryKind kind = this->kind(face);
  if (kind == BoundaryKind::sommerfeld) return extrapolate<D>(layout_, patch.q, box, axis, side);
  const bool mirror = kind == BoundaryKind::reflecting;
  // Where along the axis the value for a halo index comes from.
  const auto inside = [&](int i) {
    if (side == 0) return mirror ? -1 - i : 0;
    return mirror ? 2 * p - 1 - i : p - 1;
  };
  const int planes = D == 3 ? box.extent[D - 1] : 1;
  for (int row = 0; row < planes * box.extent[1]; ++row) {
    Index<D> i = box.lower;
    i[1] += row % box.extent[1];
    if (D == 3) i[D - 1] += row / box.extent[1];
    if (kind == BoundaryKind::given) {
      double state[64], x[3];
      for (int n = 0; n < box.extent[0]; ++n, ++i[0]) {
        for (int a = 0; a < D; ++a) x[a] = patch.lower[a] + (i[a] + 0.5) * patch.dx;
        given_(x, patch.dx, t, state);
        for (int u = 0; u < layout_.unknowns; ++u) patch.q[layout_.at(u, i)] = state[u];
      }
      continue;
    }
    for (int u = 0; u < layout_.unknowns; ++u) {
      const double sign = mirror ? reflection_[axis][static_cast<std::size_t>(u)] : 1.0;
      double* to = patch.q + layout_.at(u, i);
      if (axis == 0) {
        for (int n = 0; n < box.extent[0]; ++n) to[n] = sign * to[inside(i[0] + n) - i[0]];
      } else {
        const double* from = to + (inside(i[axis]) - i[axis]) * layout_.stride(axis);
        for (int n = 0; n < box.extent[0]; ++n) to[n] = sign * from[n];
      }
    }
  }
}

template class BoundaryFill<2>;
template class BoundaryFill<3>;

}  // namespace meander::mesh
