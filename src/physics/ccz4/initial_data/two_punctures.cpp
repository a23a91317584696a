// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/initial_data/two_punctures.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "base/assert.hpp"
#include "physics/ccz4/initial_data/spheroidal_solve.hpp"

namespace meander::ccz4 {
namespace {

using std::numbers::pi;

// Within this fraction of b from the axis, values are computed from both sides of it: the angle is
// ill-defined there.
constexpr double near_axis = 1e-4;
// Coefficients below this fraction of the largest are dropped without loss.
constexpr double negligible = 1e-16;

double scalar_product(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Chebyshev polynomials and their first derivatives at x.
void chebyshev(int count, double x, double* value, double* slope) {
  value[0] = 1;
  slope[0] = 0;
  value[1] = x;
  slope[1] = 1;
  for (int n = 2; n < count; ++n) {
    value[n] = 2 * x * value[n - 1] - value[n - 2];
    slope[n] = 2 * value[n - 1] + 2 * x * slope[n - 1] - slope[n - 2];
  }
}

}  // namespace

TwoPunctures::TwoPunctures(const std::array<Hole, 2>& holes, int points, int angles)
    : holes_(holes.begin(), holes.end()), points_(points) {
  std::array<double, 3> along;
  for (std::size_t a = 0; a < 3; ++a) {
    middle_[a] = 0.5 * (holes[0].position[a] + holes[1].position[a]);
    along[a] = 0.5 * (holes[0].position[a] - holes[1].position[a]);
  }
  b_ = std::sqrt(scalar_product(along, along));
  MEANDER_ASSERT(b_ > 0);
  for (double& component : along) component /= b_;
  // The second axis: the coordinate axis closest to the normal plane, made orthogonal.
  std::size_t across = 0;
  for (std::size_t a = 1; a < 3; ++a) {
    if (std::abs(along[a]) < std::abs(along[across])) across = a;
  }
  std::array<double, 3> second{};
  second[across] = 1;
  for (std::size_t a = 0; a < 3; ++a) second[a] -= along[across] * along[a];
  const double length = std::sqrt(scalar_product(second, second));
  for (double& component : second) component /= length;
  axis_ = {along, second,
           std::array<double, 3>{along[1] * second[2] - along[2] * second[1],
                                 along[2] * second[0] - along[0] * second[2],
                                 along[0] * second[1] - along[1] * second[0]}};
  solve(points, angles);
}

void TwoPunctures::solve(int points, int angles) {
  // The parts of the source at every node: A_ij A^ij and the poles of psi.
  const SpheroidalGrid grid(points, angles);
  std::vector<double> square(grid.size()), poles(grid.size());
  for (std::size_t n = 0; n < grid.size(); ++n) {
    const SpheroidalGrid::Node node = grid.node(n);
    const double local[3] = {b_ * node.x, b_ * node.rho * std::cos(node.angle),
                             b_ * node.rho * std::sin(node.angle)};
    ccz4::Symmetric<double> curvature{};
    poles[n] = 1;
    for (std::size_t h = 0; h < 2; ++h) {
      const double r = b_ * node.distance[h];
      double normal[3] = {0, 0, 0};
      for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t i = 0; i < 3; ++i) {
          const double puncture = i == 0 ? (h == 0 ? b_ : -b_) : 0.0;
          normal[a] += axis_[i][a] * (local[i] - puncture) / r;
        }
      }
      poles[n] += 0.5 * holes_[h].mass / r;
      ccz4::exact::add_curvature(holes_[h], r, normal, curvature);
    }
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) square[n] += curvature(i, j) * curvature(i, j);
    }
  }
  const SpheroidalSolution solution = solve_hamiltonian(grid, b_, square, poles);
  iterations_ = solution.iterations;
  // Symmetries make many modes zero: no point pays for them.
  const auto stride = static_cast<std::size_t>(angles), pairs = grid.size() / stride;
  const auto largest = [&](std::size_t mode) {
    double most = 0;
    for (std::size_t n = 0; n < pairs; ++n)
      most = std::max(most, std::abs(solution.coefficients[n * stride + mode]));
    return most;
  };
  double most = 0, last = 0;
  for (std::size_t n = 0; n < solution.coefficients.size(); ++n) {
    const int pair = static_cast<int>(n / stride), i = pair / points, j = pair % points;
    if (std::max(i, j) >= points - 2) last = std::max(last, std::abs(solution.coefficients[n]));
  }
  for (std::size_t mode = 0; mode < stride; ++mode) most = std::max(most, largest(mode));
  truncation_ = most > 0 ? last / most : 0;
  std::vector<std::size_t> kept;
  for (std::size_t mode = 0; mode < stride; ++mode) {
    if (mode != 0 && largest(mode) <= negligible * most) continue;
    kept.push_back(mode);
    modes_.push_back(grid.mode(mode));
  }
  for (std::size_t n = 0; n < pairs; ++n) {
    for (const std::size_t mode : kept) coefficients_.push_back(solution.coefficients[n * stride + mode]);
  }
}

TwoPunctures::Sum TwoPunctures::sum_at(double A, double B, double angle) const {
  const auto count = static_cast<std::size_t>(points_), modes = modes_.size(), row = count * modes;
  thread_local std::vector<double> storage;
  storage.resize(std::max(storage.size(), 4 * count + 2 * row));
  double* of_A = storage.data();
  double* slope_A = of_A + count;
  double* of_B = slope_A + count;
  double* slope_B = of_B + count;
  double* __restrict__ rows = slope_B + count;
  double* __restrict__ slopes = rows + row;
  chebyshev(points_, 2 * A - 1, of_A, slope_A);
  chebyshev(points_, B, of_B, slope_B);
  std::fill_n(rows, 2 * row, 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    const double* __restrict__ c = coefficients_.data() + i * row;
    const double value = of_A[i], slope = 2 * slope_A[i];
    for (std::size_t n = 0; n < row; ++n) {
      rows[n] += value * c[n];
      slopes[n] += slope * c[n];
    }
  }
  Sum sum;
  for (std::size_t k = 0; k < modes; ++k) {
    double value = 0, by_A = 0, by_B = 0;
    for (std::size_t j = 0; j < count; ++j) {
      value += of_B[j] * rows[j * modes + k];
      by_A += of_B[j] * slopes[j * modes + k];
      by_B += slope_B[j] * rows[j * modes + k];
    }
    const int m = std::abs(modes_[k]);
    const double cosine = std::cos(m * angle), sine = std::sin(m * angle);
    const double wave = modes_[k] < 0 ? sine : cosine, slope = modes_[k] < 0 ? m * cosine : -m * sine;
    sum.value += wave * value;
    sum.of_A += wave * by_A;
    sum.of_B += wave * by_B;
    sum.of_angle += slope * value;
  }
  return sum;
}

// Gradient: along the axis, away from the axis, around the axis.
TwoPunctures::Value TwoPunctures::off_axis(double along, double rho, double angle) const {
  // x + i rho = b cosh(xi + i eta) is an analytic function, whose derivative gives all four.
  const std::complex<double> zeta = std::acosh(std::complex<double>(along, rho) / b_);
  const std::complex<double> slope = 1.0 / (b_ * std::sinh(zeta));
  const double A = std::tanh(0.5 * zeta.real()), B = std::tan(0.5 * zeta.imag() - 0.25 * pi);
  const Sum sum = sum_at(A, B, angle);
  const double by_xi = 0.5 * (1 - A * A) * (sum.value + (A - 1) * sum.of_A),
               by_eta = 0.5 * (1 + B * B) * (A - 1) * sum.of_B;
  return {(A - 1) * sum.value,
          {by_xi * slope.real() + by_eta * slope.imag(), by_eta * slope.real() - by_xi * slope.imag(),
           (A - 1) * sum.of_angle / rho}};
}

TwoPunctures::Value TwoPunctures::at(const double* x) const {
  std::array<double, 3> d, local;
  for (std::size_t a = 0; a < 3; ++a) d[a] = x[a] - middle_[a];
  for (std::size_t a = 0; a < 3; ++a) local[a] = scalar_product(axis_[a], d);
  const double rho = std::hypot(local[1], local[2]), angle = std::atan2(local[2], local[1]);
  const auto in_frame = [&](double radius, double phi) {
    Value value = off_axis(local[0], radius, phi);
    const double cosine = std::cos(phi), sine = std::sin(phi);
    const double frame[3] = {value.gradient[0], cosine * value.gradient[1] - sine * value.gradient[2],
                             sine * value.gradient[1] + cosine * value.gradient[2]};
    for (std::size_t a = 0; a < 3; ++a)
      value.gradient[a] = axis_[0][a] * frame[0] + axis_[1][a] * frame[1] + axis_[2][a] * frame[2];
    return value;
  };
  const double least = near_axis * b_;
  if (rho >= least) return in_frame(rho, angle);
  const Value here = in_frame(least, angle), beyond = in_frame(least, angle + pi);
  const double share = 0.5 * (1 + rho / least);
  Value value{share * here.u + (1 - share) * beyond.u, {}};
  for (int a = 0; a < 3; ++a) value.gradient[a] = share * here.gradient[a] + (1 - share) * beyond.gradient[a];
  return value;
}

double TwoPunctures::adm_mass() const {
  // psi = 1 + M / (2 r), and r = b / (1 - A) far out, where U does not depend on the direction.
  return holes_[0].mass + holes_[1].mass - 2 * b_ * sum_at(1, 0, 0).value;
}

double TwoPunctures::adm_mass(std::size_t hole) const {
  const double u = -sum_at(0, hole == 0 ? -1 : 1, 0).value;
  return holes_[hole].mass * (1 + u + holes_[1 - hole].mass / (4 * b_));
}

}  // namespace meander::ccz4
