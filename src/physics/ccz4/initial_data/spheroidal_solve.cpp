// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/initial_data/spheroidal_solve.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <numbers>
#include <span>

#include "base/error.hpp"
#include "physics/ccz4/linear_algebra.hpp"

namespace meander::ccz4 {
namespace {

using std::numbers::pi;
using Vector = std::vector<double>;

constexpr int most_iterations = 100;
constexpr std::size_t memory = 6;     // number of states that Anderson's method keeps
constexpr double tolerance = 1e-13;   // for the change of U relative to its largest value
constexpr double good_enough = 1e-9;  // accepted if rounding prevents further progress

double zero_of_chebyshev(std::size_t i, std::size_t points) {
  return -std::cos(pi * (static_cast<double>(i) + 0.5) / static_cast<double>(points));
}

// The inverse of `values`, whose columns are orthogonal functions at the nodes, by discrete orthogonality. Functions of
// the rows in `halved` have twice the norm of the others.
Matrix inverse_of_orthogonal(const Matrix& values, std::initializer_list<std::size_t> halved) {
  Matrix inverse = transposed(values);
  const double scale = 2.0 / static_cast<double>(values.rows());
  for (std::size_t k = 0; k < inverse.rows(); ++k) {
    const bool half = std::ranges::find(halved, k) != halved.end();
    for (double& element : inverse.row(k)) element *= half ? 0.5 * scale : scale;
  }
  return inverse;
}

// Chebyshev polynomials at the nodes, their inverse, and the differentiation matrices of values at the nodes.
struct Chebyshev {
  Matrix values, coefficients, first, second;

  explicit Chebyshev(std::size_t n) : values(n, n) {
    Matrix slope(n, n), bend(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      const double x = zero_of_chebyshev(i, n);
      values(i, 0) = 1;
      values(i, 1) = x;
      slope(i, 1) = 1;
      for (std::size_t k = 2; k < n; ++k) {
        values(i, k) = 2 * x * values(i, k - 1) - values(i, k - 2);
        slope(i, k) = 2 * values(i, k - 1) + 2 * x * slope(i, k - 1) - slope(i, k - 2);
        bend(i, k) = 4 * slope(i, k - 1) + 2 * x * bend(i, k - 1) - bend(i, k - 2);
      }
    }
    coefficients = inverse_of_orthogonal(values, {0});
    first = slope * coefficients;
    second = bend * coefficients;
  }
};

// The Laplace operator times b^2 (sinh^2 xi + sin^2 eta) / (A - 1), applied to U of the angular mode m:
// U -> of_A U + U of_B^T for U as a matrix over A and B.
struct Operator {
  Matrix of_A, of_B;
};

Operator laplace(const SpheroidalGrid& grid, const Chebyshev& chebyshev, int m) {
  const std::size_t n = grid.points();
  Operator op{Matrix(n, n), Matrix(n, n)};
  for (std::size_t i = 0; i < n; ++i) {
    const double B = zero_of_chebyshev(i, n), A = 0.5 * (1 + B);
    // u_xixi + coth(xi) u_xi - m^2 / sinh^2(xi) u with u = (A - 1) U, divided by A - 1. d/dA is twice d/d(2 A
    // - 1).
    const double half = 0.5 * (1 - A * A), coth = (1 + A * A) / (2 * A), sinh = 2 * A / (1 - A * A);
    const double by_first = half * (coth - A), over = 1 / (A - 1);
    // u_etaeta + cot(eta) u_eta - m^2 / sin^2(eta) u.
    const double up = 0.5 * (1 + B * B), cot = -2 * B / (1 - B * B), sin = (1 - B * B) / (1 + B * B);
    for (std::size_t j = 0; j < n; ++j) {
      const double first = chebyshev.first(i, j), second = chebyshev.second(i, j);
      op.of_A(i, j) = 4 * half * half * second + 2 * (2 * half * half * over + by_first) * first;
      op.of_B(i, j) = up * up * second + up * (B + cot) * first;
    }
    op.of_A(i, i) += by_first * over - m * m / (sinh * sinh);
    op.of_B(i, i) -= m * m / (sin * sin);
  }
  return op;
}

// Solves of_A U + U of_B^T = F for any F.
class Inverse {
 public:
  explicit Inverse(const Operator& op)
      : A_(op.of_A), B_(transposed(op.of_B)), adjoint_of_A_(adjoint(A_.u)), adjoint_of_B_(adjoint(B_.u)) {}

  Matrix operator()(const Matrix& F) const {
    const std::size_t n = F.rows();
    ComplexMatrix Y(n, n);
    for (std::size_t i = 0; i < n; ++i) std::ranges::copy(F.row(i), Y.row(i).begin());
    Y = adjoint_of_A_ * Y * B_.u;
    // T Y + Y S = the right-hand side, for upper triangular T and S.
    const ComplexMatrix &T = A_.t, &S = B_.t;
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = n; i-- > 0;) {
        std::complex<double> rest = Y(i, j);
        for (std::size_t k = 0; k < j; ++k) rest -= Y(i, k) * S(k, j);
        for (std::size_t k = i + 1; k < n; ++k) rest -= T(i, k) * Y(k, j);
        Y(i, j) = rest / (T(i, i) + S(j, j));
      }
    }
    Y = A_.u * Y * adjoint_of_B_;
    Matrix U(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) U(i, j) = Y(i, j).real();
    }
    return U;
  }

 private:
  ComplexSchur A_, B_;
  ComplexMatrix adjoint_of_A_, adjoint_of_B_;
};

// Real Fourier series by cosines and sines at the angles, and its inverse.
struct Fourier {
  Matrix values, coefficients;

  explicit Fourier(const SpheroidalGrid& grid) : values(grid.angles(), grid.angles()) {
    const std::size_t n = grid.angles();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        const int m = grid.mode(k);
        const double angle = 2 * pi * static_cast<double>(i) / static_cast<double>(n) * std::abs(m);
        values(i, k) = m < 0 ? std::sin(angle) : std::cos(angle);
      }
    }
    coefficients = inverse_of_orthogonal(values, {0, n - 1});  // the last is the highest cosine
  }
};

// The fixed-point map U -> U: solves for a given source, on vectors of values at the nodes.
class Iteration {
 public:
  Iteration(const SpheroidalGrid& grid, double b, const Vector& square, const Vector& poles)
      : grid_(grid),
        chebyshev_(grid.points()),
        fourier_(grid),
        shrink_(grid.size()),
        weight_(grid.size()),
        poles_(poles) {
    for (std::size_t k = 0; k < grid.angles(); ++k) {
      const int m = grid.mode(k);
      // sin(m angle) and cos(m angle) have the same operator.
      if (m >= 0) inverse_.emplace_back(laplace(grid, chebyshev_, m));
    }
    for (std::size_t n = 0; n < grid.size(); ++n) {
      const SpheroidalGrid::Node node = grid.node(n);
      shrink_[n] = node.A - 1;
      weight_[n] = -0.125 * b * b * (node.sinh_square + node.sin_square) / (node.A - 1) * square[n];
    }
  }

  Vector operator()(const Vector& U) const {
    Vector source(grid_.size());
    for (std::size_t n = 0; n < grid_.size(); ++n)
      source[n] = weight_[n] * std::pow(poles_[n] + shrink_[n] * U[n], -7);
    const std::size_t n = grid_.points();
    const Matrix by_mode = fourier_.coefficients * transposed(by_angle(source));
    Matrix solved(grid_.angles(), n * n);
    for (std::size_t k = 0; k < grid_.angles(); ++k) {
      const auto m = static_cast<std::size_t>(std::abs(grid_.mode(k)));
      std::ranges::copy(inverse_[m](square_of(by_mode.row(k))).elements(), solved.row(k).begin());
    }
    return transposed(fourier_.values * solved).elements();
  }

  Vector coefficients(const Vector& U) const {
    Matrix by_mode = fourier_.coefficients * transposed(by_angle(U));
    const Matrix for_B = transposed(chebyshev_.coefficients);
    for (std::size_t k = 0; k < grid_.angles(); ++k) {
      const Matrix of_mode = chebyshev_.coefficients * square_of(by_mode.row(k)) * for_B;
      std::ranges::copy(of_mode.elements(), by_mode.row(k).begin());
    }
    return transposed(by_mode).elements();
  }

 private:
  // One row a pair (A, B), one column an angle.
  Matrix by_angle(const Vector& values) const {
    return {values.size() / grid_.angles(), grid_.angles(), values};
  }
  // One row a value of A, one column a value of B.
  Matrix square_of(std::span<const double> row) const {
    return {grid_.points(), grid_.points(), {row.begin(), row.end()}};
  }

  const SpheroidalGrid& grid_;
  Chebyshev chebyshev_;
  Fourier fourier_;
  std::vector<Inverse> inverse_;  // by m
  Vector shrink_, weight_, poles_;
};

// NaN if any value is.
double maximum_norm(const Vector& values) {
  double result = 0;
  for (const double value : values) {
    if (std::isnan(value)) return value;
    result = std::max(result, std::abs(value));
  }
  return result;
}

Vector difference(const Vector& a, const Vector& b) {
  Vector result(a.size());
  std::ranges::transform(a, b, result.begin(), std::minus());
  return result;
}

}  // namespace

SpheroidalGrid::SpheroidalGrid(int points, int angles)
    : points_(static_cast<std::size_t>(points)), angles_(static_cast<std::size_t>(angles)) {}

SpheroidalGrid::Node SpheroidalGrid::node(std::size_t number) const {
  const std::size_t k = number % angles_, j = number / angles_ % points_, i = number / angles_ / points_;
  Node node;
  node.A = 0.5 * (1 + zero_of_chebyshev(i, points_));
  node.B = zero_of_chebyshev(j, points_);
  node.angle = 2 * pi * static_cast<double>(k) / static_cast<double>(angles_);
  const double A = node.A, B = node.B, A2 = A * A, B2 = B * B;
  const double cosh_less_1 = 2 * A2 / (1 - A2), sinh = 2 * A / (1 - A2), sin = (1 - B2) / (1 + B2);
  node.x = -(1 + cosh_less_1) * 2 * B / (1 + B2);
  node.rho = sinh * sin;
  // cosh xi - cos eta and cosh xi + cos eta without cancellation.
  node.distance[0] = cosh_less_1 + (1 + B) * (1 + B) / (1 + B2);
  node.distance[1] = cosh_less_1 + (1 - B) * (1 - B) / (1 + B2);
  node.sinh_square = sinh * sinh;
  node.sin_square = sin * sin;
  return node;
}

int SpheroidalGrid::mode(std::size_t k) const {
  const int m = static_cast<int>(k + 1) / 2;
  return k % 2 == 0 ? -m : m;
}

SpheroidalSolution solve_hamiltonian(const SpheroidalGrid& grid, double b, const std::vector<double>& square,
                                     const std::vector<double>& poles) {
  const Iteration map(grid, b, square, poles);
  Vector U(grid.size());
  std::vector<Vector> states, changes;
  double least = INFINITY;
  for (int iteration = 1; iteration <= most_iterations; ++iteration) {
    const Vector next = map(U), change = difference(next, U);
    const double size = maximum_norm(change), scale = maximum_norm(next);
    if (!std::isfinite(size)) break;
    const bool stalls = size <= good_enough * scale && size >= least;
    if (size <= tolerance * scale || stalls) return {map.coefficients(next), iteration};
    least = std::min(least, size);
    states.push_back(next);
    changes.push_back(change);
    if (states.size() > memory) {
      states.erase(states.begin());
      changes.erase(changes.begin());
    }
    // The combination of the last states with the smallest change.
    U = next;
    std::vector<Vector> differences;
    for (std::size_t n = 0; n + 1 < changes.size(); ++n)
      differences.push_back(difference(change, changes[n]));
    const Vector share = least_squares(differences, change);
    for (std::size_t n = 0; n < share.size(); ++n) {
      for (std::size_t i = 0; i < U.size(); ++i) U[i] -= share[n] * (next[i] - states[n][i]);
    }
  }
  throw Failure(
      "initial data: the iteration for the Hamiltonian constraint does not converge; momenta and spins are "
      "too large for the masses");
}

}  // namespace meander::ccz4
