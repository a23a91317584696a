// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Strong hyperbolicity of CCZ4: in any direction the matrix of the non-conservative products has the real
// eigenvalues of the theory and a complete set of eigenvectors. This detects errors in the order of second
// derivatives, to which exact solutions are insensitive.

#include <gtest/gtest.h>

#include <vector>

#include "tests/solvers/ccz4_states.hpp"

namespace meander::ccz4 {
namespace {

using Matrix = std::vector<std::vector<double>>;

// B.n for the listed unknowns.
Matrix matrix(const Terms& terms, const double* q, const double (&n)[3], const std::vector<int>& of) {
  Matrix m(of.size(), std::vector<double>(of.size()));
  double gradient[3 * unknowns] = {}, source[unknowns], rate[unknowns];
  terms.rates(q, gradient, source);
  for (std::size_t column = 0; column < of.size(); ++column) {
    for (int a = 0; a < 3; ++a) gradient[a * unknowns + of[column]] = n[a];
    terms.rates(q, gradient, rate);
    for (int a = 0; a < 3; ++a) gradient[a * unknowns + of[column]] = 0;
    for (std::size_t row = 0; row < of.size(); ++row) m[row][column] = source[of[row]] - rate[of[row]];
  }
  return m;
}

// Dimension of the kernel of m - lambda, by elimination with full pivoting.
int eigenvectors(Matrix m, double lambda) {
  const std::size_t size = m.size();
  double norm = 0;
  for (std::size_t i = 0; i < size; ++i) m[i][i] -= lambda;
  for (const auto& row : m) {
    for (const double x : row) norm = std::max(norm, std::abs(x));
  }
  for (std::size_t k = 0; k < size; ++k) {
    std::size_t r = k, c = k;
    for (std::size_t i = k; i < size; ++i) {
      for (std::size_t j = k; j < size; ++j) {
        if (std::abs(m[i][j]) > std::abs(m[r][c])) r = i, c = j;
      }
    }
    if (std::abs(m[r][c]) < 1e-10 * norm) return static_cast<int>(size - k);
    std::swap(m[k], m[r]);
    for (auto& row : m) std::swap(row[k], row[c]);
    for (std::size_t i = k + 1; i < size; ++i) {
      const double factor = m[i][k] / m[k][k];
      for (std::size_t j = k; j < size; ++j) m[i][j] -= factor * m[k][j];
    }
  }
  return 0;
}

// The distinct eigenvalues of the theory; empty if some are too close to distinguish.
std::vector<double> speeds(const Parameters& p, const double* q, const double (&n)[3]) {
  const Fields<const double> x{q};
  Symmetric<double> inverse;
  const double det = determinant(x, inverse);
  double u = 0, beta = 0;
  for (int i = 0; i < 3; ++i) {
    beta += x.beta(i) * n[i];
    for (int j = 0; j < 3; ++j) u += n[i] * n[j] * inverse(i, j) / det;
  }
  u = std::sqrt(u);
  const double a = x.a(), light = a * x.phi() * u;
  std::vector<double> pairs = {light, u * x.phi() * std::sqrt(slicing_speed(a, p.slicing))};
  if (p.e != 1) pairs.push_back(p.e * light);
  if (p.evolves_shift) {
    for (const double s :
         {std::sqrt(4 * p.f / 3), std::sqrt(p.f), a * std::sqrt(p.mu / 2), a * std::sqrt(p.mu / 4)})
      pairs.push_back(u * s);
  }
  std::vector<double> all = {0.0, -beta};
  for (const double s : pairs) all.push_back(-beta + s), all.push_back(-beta - s);
  if (p.slicing == Slicing::harmonic) {  // the speeds of light and of the slicing coincide
    all.erase(all.begin() + 4, all.begin() + 6);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (std::abs(all[i] - all[j]) < 0.02) return {};
    }
  }
  return all;
}

std::vector<int> all_unknowns() {
  std::vector<int> all;
  for (int n = 0; n < unknowns; ++n) all.push_back(n);
  return all;
}

// With a constant shift, the shift and its derivatives are coefficients.
std::vector<int> without_shift() {
  std::vector<int> rest;
  for (int n = 0; n < unknowns; ++n) {
    const bool shift = (n >= at::beta && n < at::A) || (n >= at::B && n < at::D) || n == at::K0;
    if (!shift) rest.push_back(n);
  }
  return rest;
}

// The smallest number of eigenvectors over random states and directions.
int fewest_eigenvectors(const Parameters& p, const std::vector<int>& of, int samples) {
  std::mt19937 engine(11);
  std::normal_distribution<double> normal;
  int fewest = unknowns;
  for (int taken = 0; taken < samples;) {
    double q[unknowns], n[3];
    test::random_state(engine, q);
    for (double& component : n) component = normal(engine);
    const double length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (double& component : n) component /= length;
    const std::vector<double> lambdas = speeds(p, q, n);
    if (lambdas.empty()) continue;
    ++taken;
    const Matrix m = matrix(Terms{p}, q, n, of);
    int found = 0;
    for (const double lambda : lambdas) found += eigenvectors(m, lambda);
    fewest = std::min(fewest, found);
  }
  return fewest;
}

TEST(Ccz4Hyperbolicity, EigenvectorsAreComplete) {
  for (const Slicing slicing : {Slicing::one_plus_log, Slicing::harmonic}) {
    for (const double e : {0.6, 1.0, 1.7}) {
      Parameters p;
      p.slicing = slicing;
      p.e = e;
      EXPECT_EQ(fewest_eigenvectors(p, all_unknowns(), 20), unknowns) << "e = " << e;
      p.ordering = 2.0;
      EXPECT_EQ(fewest_eigenvectors(p, all_unknowns(), 20), unknowns) << "e = " << e << ", damped";
      p.evolves_shift = false;
      EXPECT_EQ(fewest_eigenvectors(p, without_shift(), 20), 43) << "e = " << e;
    }
  }
}

// Validates the check: without mu the equations lose six eigenvectors.
TEST(Ccz4Hyperbolicity, IsLostWithoutMu) {
  Parameters p;
  p.mu = 1e-30;
  Parameters distinct = p;
  distinct.mu = 0.2;
  std::mt19937 engine(12);
  const double n[3] = {0.6, 0.0, 0.8};
  double q[unknowns];
  std::vector<double> lambdas;
  while (lambdas.empty()) {
    test::random_state(engine, q);
    lambdas = speeds(distinct, q, n);
  }
  const Matrix m = matrix(Terms{p}, q, n, all_unknowns());
  int found = 0;
  for (const double lambda : lambdas) found += eigenvectors(m, lambda);
  EXPECT_EQ(found, unknowns - 6);
}

// The bound along each axis is the largest speed itself.
TEST(Ccz4Hyperbolicity, TheWaveSpeedBoundIsExact) {
  std::mt19937 engine(13);
  for (const Slicing slicing : {Slicing::one_plus_log, Slicing::harmonic}) {
    for (int taken = 0; taken < 100;) {
      Parameters p;
      p.slicing = slicing;
      p.e = taken % 2 == 0 ? 1.0 : 1.7;
      p.f = taken % 3 == 0 ? 0.75 : 2.5;
      p.evolves_shift = taken % 5 > 0;
      double q[unknowns], bound[3];
      test::random_state(engine, q);
      Terms{p}.auxiliary(q, bound);
      const int axis = taken % 3;
      const double n[3] = {axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0};
      const std::vector<double> lambdas = speeds(p, q, n);
      if (lambdas.empty()) continue;
      ++taken;
      double fastest = 0;
      for (const double lambda : lambdas) fastest = std::max(fastest, std::abs(lambda));
      EXPECT_NEAR(bound[axis], fastest, 1e-14 * fastest);
    }
  }
}

}  // namespace
}  // namespace meander::ccz4
