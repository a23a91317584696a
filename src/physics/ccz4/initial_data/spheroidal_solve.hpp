// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The elliptic solve of TwoPunctures, for foci at x = 1 and x = -1.

#include <cstddef>
#include <vector>

namespace meander::ccz4 {

// Collocation points: the zeros of Chebyshev polynomials in A and B, and equal angles. A runs from 0 on the
// axis between the foci to 1 at infinity. B runs from -1 on the axis beyond the first focus to 1 beyond the
// second.
class SpheroidalGrid {
 public:
  // points >= 4 along A and B; angles: even, >= 4.
  SpheroidalGrid(int points, int angles);

  struct Node {
    double A = 0, B = 0, angle = 0;
    double x = 0, rho = 0;                   // along the axis, and distance from it
    double distance[2] = {0, 0};             // from the foci
    double sinh_square = 0, sin_square = 0;  // of xi and eta
  };
  // Index (i * points + j) * angles + k: the angle is fastest, then B.
  std::size_t size() const { return points_ * points_ * angles_; }
  std::size_t points() const { return points_; }
  std::size_t angles() const { return angles_; }
  Node node(std::size_t number) const;

  // The mode of coefficient k of an angular series: m >= 0 for cos(m angle), m < 0 for sin(-m angle).
  int mode(std::size_t k) const;

 private:
  std::size_t points_, angles_;
};

struct SpheroidalSolution {
  // The coefficients of U = u / (A - 1): Chebyshev in 2 A - 1, Chebyshev in B, angle; in the order of the
  // nodes.
  std::vector<double> coefficients;
  int iterations = 0;
};

// Solves laplace u = -square / (8 (poles + u)^7) for foci a distance 2 b apart; square and poles are given at
// the nodes. The Laplace operator is inverted directly for each mode, as the sum of a matrix in A and one in
// B (Bartels and Stewart 1972). The source is updated by fixed-point iteration with Anderson's (1965)
// acceleration. Throws Failure if the iteration does not converge.
SpheroidalSolution solve_hamiltonian(const SpheroidalGrid& grid, double b, const std::vector<double>& square,
                                     const std::vector<double>& poles);

}  // namespace meander::ccz4
