// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Dense linear algebra of initial data and horizons: equations that define each result, for random and for degenerate
// matrices.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "physics/ccz4/linear_algebra.hpp"

namespace meander::ccz4 {
namespace {

Matrix random_matrix(std::size_t rows, std::size_t columns, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> any(-1, 1);
  Matrix a(rows, columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (double& element : a.row(i)) element = any(engine);
  }
  return a;
}

std::vector<double> random_vector(std::size_t n, unsigned seed) {
  return random_matrix(1, n, seed).elements();
}

template <class T>
double distance(const DenseMatrix<T>& a, const DenseMatrix<T>& b) {
  EXPECT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.columns(), b.columns());
  double most = 0;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.columns(); ++j) most = std::max(most, std::abs(a(i, j) - b(i, j)));
  }
  return most;
}

Matrix diagonal(const std::vector<double>& values) {
  Matrix d(values.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) d(i, i) = values[i];
  return d;
}

TEST(LinearAlgebra, ProductsOfMatricesAreAssociativeAndAgree) {
  const Matrix a = random_matrix(7, 70, 1), b = random_matrix(70, 5, 2), c = random_matrix(5, 3, 3);
  EXPECT_LT(distance((a * b) * c, a * (b * c)), 1e-13);
  EXPECT_LT(distance(transposed_product(transposed(a), b), a * b), 1e-14);
  const Matrix wide = random_matrix(6, 150, 4);  // more than a strip
  EXPECT_LT(distance(transposed_product(wide, wide), transposed(wide) * wide), 1e-14);
}

TEST(LinearAlgebra, SolvesLinearEquations) {
  for (const std::size_t n : {1, 2, 40}) {
    Matrix a = random_matrix(n, n, 5);
    if (n > 1) a(0, 0) = 0;  // a pivot is required
    const std::vector<double> b = random_vector(n, 6), x = solve(a, b);
    EXPECT_LT(distance(a * Matrix(n, 1, x), Matrix(n, 1, b)), 1e-12) << n;
  }
}

TEST(LinearAlgebra, LeastSquaresAreOrthogonalToTheColumns) {
  const std::size_t rows = 200;
  std::vector<std::vector<double>> columns;
  for (unsigned n = 0; n < 5; ++n) columns.push_back(random_vector(rows, 10 + n));
  // Nearly parallel, as the last iterates of a fixed point are.
  for (std::size_t i = 0; i < rows; ++i) columns[4][i] = columns[3][i] + 1e-7 * columns[4][i];
  const std::vector<double> b = random_vector(rows, 20);
  const auto rest_of = [&](const std::vector<std::vector<double>>& some, const std::vector<double>& x) {
    std::vector<double> rest = b;
    for (std::size_t n = 0; n < some.size(); ++n) {
      for (std::size_t i = 0; i < rows; ++i) rest[i] -= x[n] * some[n][i];
    }
    return rest;
  };
  const auto length = [](const std::vector<double>& v) {
    return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
  };
  const std::vector<double> rest = rest_of(columns, least_squares(columns, b));
  for (const std::vector<double>& column : columns)
    EXPECT_LT(std::abs(std::inner_product(rest.begin(), rest.end(), column.begin(), 0.0)), 1e-7);
  // A column that depends on the others changes nothing.
  auto more = columns;
  more.insert(more.begin(), columns[1]);
  const std::vector<double> x = least_squares(more, b);
  EXPECT_TRUE(x[0] == 0 || x[2] == 0);
  EXPECT_NEAR(length(rest_of(more, x)), length(rest), 1e-8);
  EXPECT_TRUE(least_squares({}, b).empty());
}

TEST(LinearAlgebra, EquationsWithoutASolutionAreNotSolved) {
  for (const double x : solve(Matrix(2, 2, {1, 2, 2, 4}), {1, 1})) EXPECT_FALSE(std::isfinite(x));
}

TEST(LinearAlgebra, LeastSquaresOfDegenerateColumns) {
  EXPECT_EQ(least_squares({{0, 0, 0}, {0, 0, 0}}, {1, 2, 3}), (std::vector<double>{0, 0}));
  // More columns than rows: the largest ones are used.
  const std::vector<double> x = least_squares({{1, 0}, {0, 3}, {5, 0}, {0, 1}}, {10, 6});
  EXPECT_NEAR(x[2], 2, 1e-15);
  EXPECT_NEAR(x[1], 2, 1e-15);
  EXPECT_EQ(x[0], 0);
  EXPECT_EQ(x[3], 0);
}

// a = m D m^T and b = m m^T have the eigenvalues D for every m of full rank.
void expect_eigenpairs(const std::vector<double>& values, unsigned seed) {
  const std::size_t n = values.size();
  Matrix lower = Matrix::identity(n);
  const Matrix noise = random_matrix(n, n, seed);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) lower(i, j) = noise(i, j) / static_cast<double>(n);
  }
  const Matrix m = lower * transposed(lower);
  const Matrix a = m * diagonal(values) * transposed(m), b = m * transposed(m);
  const Eigenpairs found = generalized_eigenpairs(a, b);
  double scale = 1;
  for (const double value : values) scale = std::max(scale, std::abs(value));
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_NEAR(found.values[i], values[i], 1e-12 * scale) << i << " of " << n;
  const Matrix vectors = transposed(found.vectors);
  EXPECT_LT(distance(a * vectors, b * vectors * diagonal(found.values)), 1e-11 * scale) << n;
  EXPECT_LT(distance(found.vectors * b * vectors, Matrix::identity(n)), 1e-12) << n;
}

TEST(LinearAlgebra, FindsGeneralizedEigenpairsInAscendingOrder) {
  expect_eigenpairs({3}, 1);
  expect_eigenpairs({-2, 5}, 2);
  expect_eigenpairs({0, 0, 0, 1, 1, 1, 1, 1, 7}, 3);  // as on a sphere: three Killing vectors
  expect_eigenpairs({2, 2, 2, 2}, 4);
  std::vector<double> many(120);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = 1e-6 * static_cast<double>(i * i * i);
  expect_eigenpairs(many, 5);
}

TEST(LinearAlgebra, DiagonalMatricesAreTheirOwnEigenpairs) {
  const Eigenpairs found = generalized_eigenpairs(diagonal({8, 2, 27}), diagonal({2, 1, 3}));
  const double values[] = {2, 4, 9};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(found.values[i], values[i]);
  EXPECT_EQ(found.vectors(0, 1), 1);
}

TEST(LinearAlgebra, EigenvaluesOfAnIndefiniteFormAreNotFinite) {
  const Eigenpairs found = generalized_eigenpairs(Matrix::identity(3), diagonal({1, -1, 1}));
  EXPECT_FALSE(std::isfinite(found.values[0]) && std::isfinite(found.values[1]) &&
               std::isfinite(found.values[2]));
}

void expect_schur_form(const Matrix& a) {
  const std::size_t n = a.rows();
  const ComplexSchur schur(a);
  ComplexMatrix same(n, n);
  double scale = 1;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      same(i, j) = a(i, j);
      scale = std::max(scale, std::abs(a(i, j)));
      if (j < i) {
        EXPECT_EQ(schur.t(i, j), 0.0);
      }
    }
  }
  EXPECT_LT(distance(schur.u * schur.t * adjoint(schur.u), same), 1e-13 * scale * static_cast<double>(n));
  EXPECT_LT(distance(adjoint(schur.u) * schur.u, ComplexMatrix::identity(n)), 1e-13 * static_cast<double>(n));
}

TEST(LinearAlgebra, SchurFormsAreTriangularAndUnitary) {
  for (const std::size_t n : {1, 2, 3, 5, 30, 64}) expect_schur_form(random_matrix(n, n, 7));
  const Matrix some = random_matrix(12, 12, 8);
  expect_schur_form(some * transposed(some));
  expect_schur_form(Matrix(6, 6));
  expect_schur_form(Matrix::identity(6));
  Matrix jordan = Matrix::identity(8), cyclic(8, 8);
  for (std::size_t i = 0; i + 1 < 8; ++i) jordan(i, i + 1) = cyclic(i + 1, i) = 1;
  cyclic(0, 7) = 1;
  expect_schur_form(jordan);
  expect_schur_form(transposed(jordan));
  expect_schur_form(cyclic);
  // The second derivative on Chebyshev nodes: eigenvalues grow with the fourth power of their number.
  Matrix graded = random_matrix(20, 20, 9);
  for (std::size_t i = 0; i < 20; ++i) {
    for (double& element : graded.row(i)) element *= std::pow(static_cast<double>(i), 4);
  }
  expect_schur_form(graded);
}

}  // namespace
}  // namespace meander::ccz4
