// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/boundary_condition.hpp"

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
                                   .on_device = BoundaryCondition::OnDevice::reflecting};
const BoundaryCondition given{.name = "scenario",
                              .meaning = "takes the boundary data of the scenario",
                              .source = BoundaryCondition::Source::given};
}  // namespace boundary

std::vector<const BoundaryCondition*> general_boundary_conditions() {
  return {&boundary::periodic, &boundary::outflow, &boundary::reflecting, &boundary::given};
}

}  // namespace meander::mesh
