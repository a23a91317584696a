// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/mirrors.hpp"

#include <bit>

#include "simulation/scenario.hpp"

namespace meander::simulation {

Mirrors::Mirrors(std::span<const double> lower, std::span<const double> upper,
                 std::span<const mesh::BoundaryCondition* const> boundary)
    : lower_(lower.begin(), lower.end()), upper_(upper.begin(), upper.end()) {
  for (std::size_t a = 0; a < lower.size() && !boundary.empty(); ++a) {
    for (int side = 0; side < 2; ++side) {
      const mesh::BoundaryCondition* const condition = boundary[2 * a + static_cast<std::size_t>(side)];
      if (condition == nullptr || !condition->is_symmetry) continue;
      axes_ |= 1U << a;
      side_[a] = side;
      plane_[a] = side == 0 ? lower[a] : upper[a];
      (side == 0 ? lower_ : upper_)[a] = side == 0 ? 2 * lower[a] - upper[a] : 2 * upper[a] - lower[a];
    }
  }
}

Mirrors::Mirrors(const ProblemSetup& setup) : Mirrors(setup.lower, setup.upper, setup.boundary) {}

Mirrors::Mirrors(const Mirrors& planes, const solvers::Solver& solver) : Mirrors(planes) {
  for (std::size_t a = 0; a < lower_.size(); ++a) {
    signs_[a].resize(static_cast<std::size_t>(solver.traits().unknowns));
    solver.reflection_signs(static_cast<int>(a), signs_[a]);
  }
}

double Mirrors::images() const {
  return static_cast<double>(1U << std::popcount(axes_));
}

Point<3> Mirrors::reflected(Point<3> x, std::size_t axis) const {
  x[axis] = 2 * plane_[axis] - x[axis];
  return x;
}

Mirrors::Image Mirrors::image(Point<3> x) const {
  Image image{x, 0, 0};
  for (std::size_t a = 0; a < 3; ++a) {
    if (!has(a)) continue;
    if (x[a] == plane_[a]) image.on_plane |= 1U << a;
    if (side_[a] == 0 ? x[a] >= plane_[a] : x[a] <= plane_[a]) continue;
    image.x = reflected(image.x, a);
    image.mirrored |= 1U << a;
  }
  return image;
}

bool Mirrors::odd(int unknown) const {
  for (std::size_t a = 0; a < 3; ++a) {
    if (has(a) && sign(a, unknown) < 0) return true;
  }
  return false;
}

void Mirrors::unfold(const Image& image, const solvers::PointQuery& query, std::span<double> sample) const {
  const auto unknowns = static_cast<std::size_t>(query.unknowns),
             slopes = static_cast<std::size_t>(query.slopes);
  for (std::size_t a = 0; a < 3; ++a) {
    const Axes bit = 1U << a;
    if (((image.mirrored | image.on_plane) & bit) == 0) continue;
    const bool is_on_plane = (image.on_plane & bit) != 0;
    const auto turn = [is_on_plane](double& value) { value = is_on_plane ? 0.0 : -value; };
    for (std::size_t n = 0; n < unknowns; ++n) {
      const double of_unknown = sign(a, query.unknown[n]);
      if (of_unknown < 0) turn(sample[n]);
      if (n >= slopes) continue;
      double* const along = sample.data() + unknowns + 3 * n;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (of_unknown * (axis == a ? -1.0 : 1.0) < 0) turn(along[axis]);
      }
    }
  }
}

}  // namespace meander::simulation
