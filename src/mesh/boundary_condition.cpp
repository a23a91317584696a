// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/boundary_condition.hpp"

#include <utility>

#include "solvers/boundary_values.hpp"

namespace meander::mesh {
namespace {

// Calls body(i) with the indices of the first volume of each row along x.
template <class Body>
void for_rows(const BoundaryBox& box, const Body& body) {
  for (int k = 0; k < box.extent[2]; ++k) {
    for (int j = 0; j < box.extent[1]; ++j) {
      const int i[3] = {box.lower[0], box.lower[1] + j, box.lower[2] + k};
      body(i);
    }
  }
}

template <class Condition>
void copy(const BoundaryBox& box) {
  const solvers::PatchLayout& layout = box.layout;
  for_rows(box, [&](const int* i) {
    for (int u = 0; u < layout.unknowns; ++u) {
      const double sign = Condition::reflects ? box.signs[u] : 1.0;
      double* to = box.q + layout.at(u, i[0], i[1], i[2]);
      if (box.axis == 0) {
        for (int n = 0; n < box.extent[0]; ++n)
          to[n] = sign * to[Condition::source(i[0] + n, layout.p, box.side) - i[0]];
      } else {
        const int inside = Condition::source(i[box.axis], layout.p, box.side);
        const double* from = to + (inside - i[box.axis]) * layout.stride(box.axis);
        for (int n = 0; n < box.extent[0]; ++n) to[n] = sign * from[n];
      }
    }
  });
}

void copy_or_mirror(const BoundaryBox& box) {
  const solvers::PatchLayout& layout = box.layout;
  const int axis = box.axis, normal = solvers::Diode::normal(box.signs, layout.unknowns);
  for_rows(box, [&](const int* row) {
    int i[3] = {row[0], row[1], row[2]};
    for (int n = 0; n < box.extent[0]; ++n, ++i[0]) {
      int from[3] = {i[0], i[1], i[2]};
      from[axis] = solvers::Outflow::source(i[axis], layout.p, box.side);
      const bool leaves =
          solvers::Diode::leaves(box.q[layout.at(normal, from[0], from[1], from[2])], box.side);
      if (!leaves) from[axis] = solvers::Reflecting::source(i[axis], layout.p, box.side);
      for (int u = 0; u < layout.unknowns; ++u)
        box.q[layout.at(u, i[0], i[1], i[2])] =
            (leaves ? 1.0 : box.signs[u]) * box.q[layout.at(u, from[0], from[1], from[2])];
    }
  });
}

}  // namespace

void extrapolate(const BoundaryBox& box) {
  const solvers::PatchLayout& layout = box.layout;
  const int axis = box.axis, last = box.side == 0 ? 0 : layout.p - 1;
  const std::ptrdiff_t inwards = box.side == 0 ? layout.stride(axis) : -layout.stride(axis);
  for_rows(box, [&](const int* row) {
    int i[3] = {row[0], row[1], row[2]};
    for (int n = 0; n < box.extent[0]; ++n, ++i[0]) {
      const solvers::Extrapolation polynomial(layout.p, box.side == 0 ? -i[axis] : i[axis] - last);
      int edge[3] = {i[0], i[1], i[2]};
      edge[axis] = last;
      for (int u = 0; u < layout.unknowns; ++u) {
        box.q[layout.at(u, i[0], i[1], i[2])] =
            polynomial.value(box.q + layout.at(u, edge[0], edge[1], edge[2]), inwards);
      }
    }
  });
}

namespace boundary {
const BoundaryCondition periodic{.name = "periodic",
                                 .meaning = "must hold on both sides of an axis",
                                 .source = BoundaryCondition::Source::neighbours};
const BoundaryCondition outflow{.name = "outflow",
                                .meaning = "copies the last volume of the interior",
                                .fill = copy<solvers::Outflow>,
                                .on_device = BoundaryCondition::OnDevice::outflow};
const BoundaryCondition reflecting{.name = "reflecting",
                                   .meaning = "is a wall",
                                   .fill = copy<solvers::Reflecting>,
                                   .on_device = BoundaryCondition::OnDevice::reflecting,
                                   .reflects = true};
const BoundaryCondition symmetric{
    .name = "symmetric",
    .meaning =
        "is a plane of symmetry, a mirror of the solution: halos are those of `reflecting`, and the history, "
        "horizons and waves are of the domain together with its mirror images. At most one side of an axis. "
        "Data without the symmetry are refused. See [symmetry](symmetry.md)",
    .fill = copy<solvers::Reflecting>,
    .on_device = BoundaryCondition::OnDevice::reflecting,
    .reflects = true,
    .is_symmetry = true};
const BoundaryCondition diode{.name = "diode",
                              .meaning =
                                  "copies the last volume where the gas leaves, and is a wall where it "
                                  "would enter",
                              .fill = copy_or_mirror,
                              .on_device = BoundaryCondition::OnDevice::diode,
                              .needs = "conservation laws"};
const BoundaryCondition given{.name = "scenario",
                              .meaning = "takes the boundary data of the scenario",
                              .source = BoundaryCondition::Source::given};
const BoundaryCondition inflow{
    .name = "inflow",
    .meaning =
        "has a state of its own: a table of `kind` and a formula of x, y, z, r and t for each field. "
        "Volumes beyond the domain hold means over as many samples as volumes of initial data by formulas",
    .source = BoundaryCondition::Source::given,
    .takes_state = true};
}  // namespace boundary

std::vector<const BoundaryCondition*> general_boundary_conditions() {
  return {&boundary::periodic, &boundary::outflow, &boundary::reflecting, &boundary::symmetric,
          &boundary::diode,    &boundary::given,   &boundary::inflow};
}

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
  if (condition.source == BoundaryCondition::Source::given) return fill_given(patch, box, face, t);
  BoundaryBox volumes{layout_, patch.q, face / 2, face % 2, {}, {1, 1, 1}, reflection_[axis].data()};
  for (std::size_t a = 0; a < D; ++a) {
    volumes.lower[a] = box.lower[a];
    volumes.extent[a] = box.extent[a];
  }
  condition.fill(volumes);
}

template <int D>
void BoundaryFill<D>::fill_given(const solvers::PatchTask& patch, const solvers::Box<D>& box, int face,
                                 double t) const {
  double state[solvers::most_unknowns], x[3];
  solvers::for_rows<D>(box, [&](Index<D> i) {
    for (int n = 0; n < box.extent[0]; ++n, ++i[0]) {
      for (std::size_t a = 0; a < D; ++a) x[a] = patch.lower[a] + (i[a] + 0.5) * patch.dx;
      given_(face, x, patch.dx, t, state);
      for (int u = 0; u < layout_.unknowns; ++u) patch.q[layout_.at(u, i)] = state[u];
    }
  });
}

template <int D>
void BoundaryFill<D>::pack_given(const solvers::PatchTask& patch, const solvers::Box<D>& box, int face,
                                 double t, double* packed) const {
  double state[solvers::most_unknowns], x[3];
  const std::size_t volumes = box.volumes();
  std::size_t volume = 0;
  solvers::for_rows<D>(box, [&](Index<D> i) {
    for (int n = 0; n < box.extent[0]; ++n, ++i[0], ++volume) {
      for (std::size_t a = 0; a < D; ++a) x[a] = patch.lower[a] + (i[a] + 0.5) * patch.dx;
      given_(face, x, patch.dx, t, state);
      for (int u = 0; u < layout_.unknowns; ++u)
        packed[static_cast<std::size_t>(u) * volumes + volume] = state[u];
    }
  });
}

template class BoundaryFill<2>;
template class BoundaryFill<3>;

}  // namespace meander::mesh
