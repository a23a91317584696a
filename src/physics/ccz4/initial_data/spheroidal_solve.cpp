// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/initial_data/spheroidal_solve.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <numbers>

#include "base/error.hpp"

namespace meander::ccz4 {
namespace {

using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using std::numbers::pi;

constexpr int most_iterations = 100;
constexpr std::size_t memory = 6;     // number of states that Anderson's method keeps
constexpr double tolerance = 1e-13;   // for the change of U relative to its largest value
constexpr double good_enough = 1e-9;  // accepted if rounding prevents further progress

double zero_of_chebyshev(std::size_t i, std::size_t points) {
  return -std::cos(pi * (static_cast<double>(i) + 0.5) / static_cast<double>(points));
}

// Chebyshev polynomials at the nodes, their inverse, and the differentiation matrices of values at the nodes.
struct Chebyshev {
  MatrixXd values, coefficients, first, second;

  explicit Chebyshev(Eigen::Index n) : values(n, n), first(n, n), second(n, n) {
    MatrixXd slope = MatrixXd::Zero(n, n), bend = MatrixXd::Zero(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const double x = zero_of_chebyshev(static_cast<std::size_t>(i), static_cast<std::size_t>(n));
      values(i, 0) = 1;
      values(i, 1) = x;
      slope(i, 1) = 1;
      for (Eigen::Index k = 2; k < n; ++k) {
        values(i, k) = 2 * x * values(i, k - 1) - values(i, k - 2);
        slope(i, k) = 2 * values(i, k - 1) + 2 * x * slope(i, k - 1) - slope(i, k - 2);
        bend(i, k) = 4 * slope(i, k - 1) + 2 * x * bend(i, k - 1) - bend(i, k - 2);
      }
    }
    // Discrete orthogonality.
    coefficients = values.transpose() * (2.0 / static_cast<double>(n));
    coefficients.row(0) *= 0.5;
    first = slope * coefficients;
    second = bend * coefficients;
  }
};

// The Laplace operator times b^2 (sinh^2 xi + sin^2 eta) / (A - 1), applied to U of the angular mode m:
// U -> of_A U + U of_B^T for U as a matrix over A and B.
struct Operator {
  MatrixXd of_A, of_B;
};

Operator laplace(const SpheroidalGrid& grid, const Chebyshev& chebyshev, int m) {
  const auto n = static_cast<Eigen::Index>(grid.points());
  Operator op{MatrixXd(n, n), MatrixXd(n, n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    const double B = zero_of_chebyshev(static_cast<std::size_t>(i), grid.points()), A = 0.5 * (1 + B);
    // u_xixi + coth(xi) u_xi - m^2 / sinh^2(xi) u with u = (A - 1) U, divided by A - 1. d/dA is twice d/d(2 A
    // - 1).
    const double half = 0.5 * (1 - A * A), coth = (1 + A * A) / (2 * A), sinh = 2 * A / (1 - A * A);
    const double by_first = half * (coth - A), over = 1 / (A - 1);
    op.of_A.row(i) = 4 * half * half * chebyshev.second.row(i) +
                     2 * (2 * half * half * over + by_first) * chebyshev.first.row(i);
    op.of_A(i, i) += by_first * over - m * m / (sinh * sinh);
    // u_etaeta + cot(eta) u_eta - m^2 / sin^2(eta) u.
    const double up = 0.5 * (1 + B * B), cot = -2 * B / (1 - B * B), sin = (1 - B * B) / (1 + B * B);
    op.of_B.row(i) = up * up * chebyshev.second.row(i) + up * (B + cot) * chebyshev.first.row(i);
    op.of_B(i, i) -= m * m / (sin * sin);
  }
  return op;
}

// Solves of_A U + U of_B^T = F for any F.
class Inverse {
 public:
  explicit Inverse(const Operator& op)
      : A_(op.of_A.cast<Complex>()), B_(op.of_B.transpose().cast<Complex>()) {}

  MatrixXd operator()(const MatrixXd& F) const {
    MatrixXcd Y = A_.matrixU().adjoint() * F.cast<Complex>() * B_.matrixU();
    const MatrixXcd &T = A_.matrixT(), &S = B_.matrixT();
    MatrixXcd shifted = T;
    for (Eigen::Index j = 0; j < Y.cols(); ++j) {
      if (j > 0) Y.col(j) -= Y.leftCols(j) * S.col(j).head(j);
      shifted.diagonal() = T.diagonal().array() + S(j, j);
      shifted.triangularView<Eigen::Upper>().solveInPlace(Y.col(j));
    }
    return (A_.matrixU() * Y * B_.matrixU().adjoint()).real();
  }

 private:
  using Complex = std::complex<double>;
  Eigen::ComplexSchur<MatrixXcd> A_, B_;
};

// Real Fourier series by cosines and sines at the angles, and its inverse.
struct Fourier {
  MatrixXd values, coefficients;

  explicit Fourier(const SpheroidalGrid& grid) {
    const auto n = static_cast<Eigen::Index>(grid.angles());
    values.resize(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index k = 0; k < n; ++k) {
        const int m = grid.mode(static_cast<std::size_t>(k));
        const double angle = 2 * pi * static_cast<double>(i) / static_cast<double>(n) * std::abs(m);
        values(i, k) = m < 0 ? std::sin(angle) : std::cos(angle);
      }
    }
    coefficients = values.transpose() * (2.0 / static_cast<double>(n));
    coefficients.row(0) *= 0.5;
    coefficients.row(n - 1) *= 0.5;  // the highest cosine
  }
};

// The fixed-point map U -> U: solves for a given source, on vectors of values at the nodes.
class Iteration {
 public:
  Iteration(const SpheroidalGrid& grid, double b, const std::vector<double>& square,
            const std::vector<double>& poles)
      : grid_(grid),
        chebyshev_(static_cast<Eigen::Index>(grid.points())),
        fourier_(grid),
        shrink_(size()),
        weight_(size()),
        poles_(size()) {
    for (std::size_t k = 0; k < grid.angles(); ++k) {
      const int m = grid.mode(k);
      // sin(m angle) and cos(m angle) have the same operator.
      if (m >= 0) inverse_.emplace_back(laplace(grid, chebyshev_, m));
    }
    for (std::size_t n = 0; n < grid.size(); ++n) {
      const SpheroidalGrid::Node node = grid.node(n);
      const auto i = static_cast<Eigen::Index>(n);
      shrink_[i] = node.A - 1;
      weight_[i] = -0.125 * b * b * (node.sinh_square + node.sin_square) / (node.A - 1) * square[n];
      poles_[i] = poles[n];
    }
  }

  Eigen::Index size() const { return static_cast<Eigen::Index>(grid_.size()); }

  VectorXd operator()(const VectorXd& U) const {
    const VectorXd psi = poles_ + shrink_.cwiseProduct(U);
    const VectorXd source = weight_.array() * psi.array().pow(-7);
    const auto n = static_cast<Eigen::Index>(grid_.points()), angles = modes();
    const MatrixXd by_mode = fourier_.coefficients * matrix(source);
    MatrixXd solved(angles, n * n);
    for (Eigen::Index k = 0; k < angles; ++k) {
      const int m = std::abs(grid_.mode(static_cast<std::size_t>(k)));
      // Rows of the mode, B fastest: a matrix whose columns are A.
      const VectorXd row = by_mode.row(k);
      const MatrixXd F = Eigen::Map<const MatrixXd>(row.data(), n, n).transpose();
      const MatrixXd X = inverse_[static_cast<std::size_t>(m)](F).transpose();
      solved.row(k) = Eigen::Map<const VectorXd>(X.data(), n * n);
    }
    const MatrixXd values = fourier_.values * solved;
    return Eigen::Map<const VectorXd>(values.data(), size());
  }

  std::vector<double> coefficients(const VectorXd& U) const {
    const auto n = static_cast<Eigen::Index>(grid_.points()), angles = modes();
    MatrixXd by_mode = fourier_.coefficients * matrix(U);
    for (Eigen::Index k = 0; k < angles; ++k) {
      const VectorXd row = by_mode.row(k);
      const MatrixXd values = Eigen::Map<const MatrixXd>(row.data(), n, n);  // (B, A)
      const MatrixXd c = chebyshev_.coefficients * values * chebyshev_.coefficients.transpose();
      by_mode.row(k) = Eigen::Map<const VectorXd>(c.data(), n * n);
    }
    return {by_mode.data(), by_mode.data() + by_mode.size()};
  }

 private:
  Eigen::Index modes() const { return static_cast<Eigen::Index>(grid_.angles()); }
  // One column a pair (A, B), one row an angle.
  Eigen::Map<const MatrixXd> matrix(const VectorXd& values) const {
    return {values.data(), modes(), values.size() / modes()};
  }

  const SpheroidalGrid& grid_;
  Chebyshev chebyshev_;
  Fourier fourier_;
  std::vector<Inverse> inverse_;  // by m
  VectorXd shrink_, weight_, poles_;
};

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
  VectorXd U = VectorXd::Zero(map.size());
  std::vector<VectorXd> states, changes;
  double least = INFINITY;
  for (int iteration = 1; iteration <= most_iterations; ++iteration) {
    const VectorXd next = map(U), change = next - U;
    const double size = change.lpNorm<Eigen::Infinity>(), scale = next.lpNorm<Eigen::Infinity>();
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
    const auto past = static_cast<Eigen::Index>(states.size()) - 1;
    if (past == 0) continue;
    MatrixXd differences(map.size(), past);
    for (Eigen::Index n = 0; n < past; ++n)
      differences.col(n) = change - changes[static_cast<std::size_t>(n)];
    const VectorXd share = differences.colPivHouseholderQr().solve(change);
    for (Eigen::Index n = 0; n < past; ++n) U -= share[n] * (next - states[static_cast<std::size_t>(n)]);
  }
  throw Failure(
      "initial data: the iteration for the Hamiltonian constraint does not converge; momenta and spins are "
      "too large for the masses");
}

}  // namespace meander::ccz4
