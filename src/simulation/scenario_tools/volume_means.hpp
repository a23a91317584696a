// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Means of discontinuous or peaked functions over a cube, exact or nearly exact, for initial data whose
// integrals must not depend on the mesh.

#include <array>
#include <cstdint>

namespace meander::simulation {

// Fraction of [centre - dx/2, centre + dx/2] below `position`.
double fraction_below(double centre, double dx, double position);

// Fraction of the cube of width dx about `centre` inside the ball. Over all cubes of a mesh it sums to the
// ball's volume with a relative error of about 1e-5.
double fraction_in_ball(int dim, const double* centre, double dx, const double* ball_centre, double radius);

// Integral over the cube of the normalised Gaussian exp(-r^2 / radius^2) / (sqrt(pi) radius)^dim, accurate
// also in the tails. The sum over all cubes of a mesh is the integral over the domain.
double gaussian_share(int dim, const double* centre, double dx, const double* peak, double radius);

// As above over an interval along one axis.
double gaussian_share_1d(double lower, double upper, double peak, double radius);

// Noise on a fixed grid: one random number per cell, from a hash of the cell and a seed. It depends on the
// position only, not on mesh, threads or order.
struct CellNoise {
  int dim = 3;
  std::array<double, 3> lower{};  // corner of cell 0
  double width = 0;               // of a cell
  std::uint64_t seed = 0;

  // Uniform in [-1, 1).
  double in_cell(const std::array<std::int64_t, 3>& cell) const;
  // Mean over the cube of width dx about `centre`.
  double mean(const double* centre, double dx) const;
};

}  // namespace meander::simulation
