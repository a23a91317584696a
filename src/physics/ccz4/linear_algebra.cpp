// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// BLAS and LAPACK store matrices column by column: to them, what is stored row by row is the transposed matrix.
#include "physics/ccz4/linear_algebra.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace meander::ccz4 {

using Complex = std::complex<double>;

// As Fortran compilers call them: integers of 32 bits, and the lengths of strings last.
extern "C" {
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*,
            const int*, const double*, const int*, const double*, double*, const int*, std::size_t,
            std::size_t);
void zgemm_(const char*, const char*, const int*, const int*, const int*, const Complex*, const Complex*,
            const int*, const Complex*, const int*, const Complex*, Complex*, const int*, std::size_t,
            std::size_t);
void dgetrf_(const int*, const int*, double*, const int*, int*, int*);
void dgetrs_(const char*, const int*, const int*, const double*, const int*, const int*, double*, const int*,
             int*, std::size_t);
void dgeqp3_(const int*, const int*, double*, const int*, int*, double*, double*, const int*, int*);
void dormqr_(const char*, const char*, const int*, const int*, const int*, const double*, const int*,
             const double*, double*, const int*, double*, const int*, int*, std::size_t, std::size_t);
void dtrtrs_(const char*, const char*, const char*, const int*, const int*, const double*, const int*,
             double*, const int*, int*, std::size_t, std::size_t, std::size_t);
void dsygv_(const int*, const char*, const char*, const int*, double*, const int*, double*, const int*,
            double*, double*, const int*, int*, std::size_t, std::size_t);
void zgees_(const char*, const char*, int (*)(const Complex*), const int*, Complex*, const int*, int*,
            Complex*, Complex*, const int*, Complex*, const int*, double*, int*, int*, std::size_t,
            std::size_t);
}

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

int number(std::size_t n) {
  return static_cast<int>(n);
}

template <class T>
DenseMatrix<T> turned(const DenseMatrix<T>& a) {
  DenseMatrix<T> result(a.columns(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.columns(); ++j) result(j, i) = a(i, j);
  }
  return result;
}

// a b, or transposed(a) b, by GEMM, a routine of BLAS, which is asked for its transposed, transposed(b) transposed(a).
template <class T, class Gemm>
DenseMatrix<T> product(Gemm gemm, const DenseMatrix<T>& a, bool transpose_a, const DenseMatrix<T>& b) {
  const std::size_t rows = transpose_a ? a.columns() : a.rows();
  DenseMatrix<T> result(rows, b.columns());
  if (result.elements().empty()) return result;
  const int m = number(b.columns()), n = number(rows), k = number(b.rows()), step_a = number(a.columns());
  const T one = 1, zero = 0;
  gemm("N", transpose_a ? "T" : "N", &m, &n, &k, &one, b.elements().data(), &m, a.elements().data(), &step_a,
       &zero, result.row(0).data(), &m, 1, 1);
  return result;
}

}  // namespace

Matrix operator*(const Matrix& a, const Matrix& b) {
  return product(dgemm_, a, false, b);
}
ComplexMatrix operator*(const ComplexMatrix& a, const ComplexMatrix& b) {
  return product(zgemm_, a, false, b);
}
Matrix transposed(const Matrix& a) {
  return turned(a);
}
ComplexMatrix adjoint(const ComplexMatrix& a) {
  ComplexMatrix result = turned(a);
  for (std::size_t i = 0; i < result.rows(); ++i) {
    for (Complex& element : result.row(i)) element = std::conj(element);
  }
  return result;
}
Matrix transposed_product(const Matrix& a, const Matrix& b) {
  return product(dgemm_, a, true, b);
}

std::vector<double> solve(const Matrix& a, const std::vector<double>& b) {
  std::vector<double> factors = a.elements(), x = b;
  const int n = number(b.size()), one = 1;
  std::vector<int> pivots(b.size());
  int failed = 0;
  dgetrf_(&n, &n, factors.data(), &n, pivots.data(), &failed);
  if (failed != 0) return std::vector<double>(b.size(), none);
  dgetrs_("T", &n, &one, factors.data(), &n, pivots.data(), x.data(), &n, &failed, 1);
  return x;
}

std::vector<double> least_squares(const std::vector<std::vector<double>>& columns,
                                  const std::vector<double>& b) {
  const int m = number(b.size()), n = number(columns.size()), least = std::min(m, n), one = 1;
  std::vector<double> x(columns.size());
  if (least == 0) return x;
  std::vector<double> a, factors(static_cast<std::size_t>(least)), rest = b;
  for (const std::vector<double>& column : columns) a.insert(a.end(), column.begin(), column.end());
  // q r with the largest rest of a column first.
  std::vector<int> order(columns.size());
  const int room = 64 * (n + 1) + 2 * n;
  std::vector<double> work(static_cast<std::size_t>(room));
  int failed = 0;
  dgeqp3_(&m, &n, a.data(), &m, order.data(), factors.data(), work.data(), &room, &failed);
  const auto diagonal = [&](int k) {
    return std::abs(a[static_cast<std::size_t>(k) * b.size() + static_cast<std::size_t>(k)]);
  };
  const double rounding = std::numeric_limits<double>::epsilon() * std::max(m, n) * diagonal(0);
  int rank = 0;
  while (rank < least && diagonal(rank) > rounding) ++rank;
  dormqr_("L", "T", &m, &one, &least, a.data(), &m, factors.data(), rest.data(), &m, work.data(), &room,
          &failed, 1, 1);
  if (rank > 0) dtrtrs_("U", "N", "N", &rank, &one, a.data(), &m, rest.data(), &m, &failed, 1, 1, 1);
  for (int k = 0; k < rank; ++k)
    x[static_cast<std::size_t>(order[static_cast<std::size_t>(k)] - 1)] = rest[static_cast<std::size_t>(k)];
  return x;
}

Eigenpairs generalized_eigenpairs(const Matrix& a, const Matrix& b) {
  const std::size_t rows = a.rows();
  // Symmetric, so that its rows are its columns; eigenvectors take the place of columns.
  Eigenpairs found{std::vector<double>(rows), a};
  std::vector<double> metric = b.elements();
  const int type = 1, n = number(rows), room = 66 * n;
  std::vector<double> work(static_cast<std::size_t>(room));
  int failed = 0;
  dsygv_(&type, "V", "U", &n, found.vectors.row(0).data(), &n, metric.data(), &n, found.values.data(),
         work.data(), &room, &failed, 1, 1);
  if (failed != 0)
    return {std::vector<double>(rows, none), Matrix(rows, rows, std::vector<double>(rows * rows, none))};
  return found;
}

ComplexSchur::ComplexSchur(const Matrix& a) {
  const std::size_t rows = a.rows();
  ComplexMatrix columns_of_t(rows, rows), columns_of_u(rows, rows);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < rows; ++j) columns_of_t(j, i) = a(i, j);
  }
  const int n = number(rows), room = 66 * n;
  std::vector<Complex> values(rows), work(static_cast<std::size_t>(room));
  std::vector<double> more(rows);
  int first = 0, failed = 0;
  zgees_("V", "N", nullptr, &n, columns_of_t.row(0).data(), &n, &first, values.data(),
         columns_of_u.row(0).data(), &n, work.data(), &room, more.data(), nullptr, &failed, 1, 1);
  if (failed != 0) throw Failure("the Schur form of a matrix was not found");
  t = turned(columns_of_t);
  u = turned(columns_of_u);
}

}  // namespace meander::ccz4
