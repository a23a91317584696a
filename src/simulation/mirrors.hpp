// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Planes of symmetry: faces of the domain with the boundary condition "symmetric". The solution of the whole, the domain
// with its mirror images, follows from that inside. Diagnostics are of the whole: integrals are `images()` times those over
// the domain, and a point beyond a plane has the values of its image inside, with the signs of the unknowns.

#include <array>
#include <span>
#include <vector>

#include "base/vec.hpp"
#include "mesh/boundary_condition.hpp"
#include "solvers/gather.hpp"
#include "solvers/solver.hpp"

namespace meander::simulation {

struct ProblemSetup;

class Mirrors {
 public:
  using Axes = unsigned;  // bit a: axis a
  // The image of a point in the domain.
  struct Image {
    Point<3> x{};
    Axes mirrored = 0;  // across the plane of these axes
    Axes on_plane = 0;  // lies on them
  };

  Mirrors() = default;
  // lower, upper: the domain's corners, a number for each axis. boundary: by face, 2 * axis + side; empty: no planes. At most
  // one side of an axis is a plane.
  Mirrors(std::span<const double> lower, std::span<const double> upper,
          std::span<const mesh::BoundaryCondition* const> boundary);
  explicit Mirrors(const ProblemSetup& setup);
  // With the signs of this solver's unknowns, for odd() and unfold().
  Mirrors(const Mirrors& planes, const solvers::Solver& solver);

  bool any() const { return axes_ != 0; }
  bool has(std::size_t axis) const { return (axes_ >> axis & 1) != 0; }
  // Whether this side of the axis is a plane.
  bool at_side(std::size_t axis, int side) const { return has(axis) && side_[axis] == side; }
  double plane(std::size_t axis) const { return plane_[axis]; }  // if has(axis)
  int face(std::size_t axis) const { return 2 * static_cast<int>(axis) + side_[axis]; }
  // Volume of the whole over that of the domain: 1, 2, 4 or 8.
  double images() const;

  // The corners of the whole.
  const std::vector<double>& lower() const { return lower_; }
  const std::vector<double>& upper() const { return upper_; }

  Point<3> reflected(Point<3> x, std::size_t axis) const;
  Image image(Point<3> x) const;
  // Whether the unknown changes its sign across a plane, so that its integral over the whole is 0.
  bool odd(int unknown) const;
  // The sample at the point whose image was sampled. On a plane, what is odd across it is 0.
  void unfold(const Image& image, const solvers::PointQuery& query, std::span<double> sample) const;

 private:
  double sign(std::size_t axis, int unknown) const { return signs_[axis][static_cast<std::size_t>(unknown)]; }

  Axes axes_ = 0;
  std::array<int, 3> side_{};
  Point<3> plane_{};
  std::vector<double> lower_, upper_;
  std::array<std::vector<double>, 3> signs_;
};

}  // namespace meander::simulation
