// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Means of discontinuous or peaked functions over a cube, exact or nearly exact, for initial data whose
// integrals must not depend on the mesh.

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

}  // namespace meander::simulation
