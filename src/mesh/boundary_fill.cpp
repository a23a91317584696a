// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/boundary_fill.hpp"

#include <utility>

namespace meander::mesh {
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
  const auto axis = static_cast<std::size_t>(face / 2);
  const BoundaryCondition& condition = *boundaries_[static_cast<std::size_t>(face)];
  if (condition.source == BoundaryCondition::Source::given) return fill_given(patch, box, t);
  BoundaryBox volumes{layout_, patch.q, face / 2, face % 2, {}, {1, 1, 1}, reflection_[axis].data()};
  for (std::size_t a = 0; a < D; ++a) {
    volumes.lower[a] = box.lower[a];
    volumes.extent[a] = box.extent[a];
  }
  condition.fill(volumes);
}

template <int D>
void BoundaryFill<D>::fill_given(const solvers::PatchTask& patch, const solvers::Box<D>& box,
                                 double t) const {
  double state[solvers::most_unknowns], x[3];
  solvers::for_rows<D>(box, [&](Index<D> i) {
    for (int n = 0; n < box.extent[0]; ++n, ++i[0]) {
      for (std::size_t a = 0; a < D; ++a) x[a] = patch.lower[a] + (i[a] + 0.5) * patch.dx;
      given_(x, patch.dx, t, state);
      for (int u = 0; u < layout_.unknowns; ++u) patch.q[layout_.at(u, i)] = state[u];
    }
  });
}

template <int D>
void BoundaryFill<D>::pack_given(const solvers::PatchTask& patch, const solvers::Box<D>& box, double t,
                                 double* packed) const {
  double state[solvers::most_unknowns], x[3];
  const std::size_t volumes = box.volumes();
  std::size_t volume = 0;
  solvers::for_rows<D>(box, [&](Index<D> i) {
    for (int n = 0; n < box.extent[0]; ++n, ++i[0], ++volume) {
      for (std::size_t a = 0; a < D; ++a) x[a] = patch.lower[a] + (i[a] + 0.5) * patch.dx;
      given_(x, patch.dx, t, state);
      for (int u = 0; u < layout_.unknowns; ++u)
        packed[static_cast<std::size_t>(u) * volumes + volume] = state[u];
    }
  });
}

template class BoundaryFill<2>;
template class BoundaryFill<3>;

}  // namespace meander::mesh
