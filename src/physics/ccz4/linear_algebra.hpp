// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Dense linear algebra for matrices of up to a few hundred rows, by LAPACK.

#include <complex>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace meander::ccz4 {

// T: double or std::complex<double>. Elements are stored row by row.
template <class T>
class DenseMatrix {
 public:
  DenseMatrix() = default;
  DenseMatrix(std::size_t rows, std::size_t columns) : columns_(columns), elements_(rows * columns) {}
  DenseMatrix(std::size_t rows, std::size_t columns, std::vector<T> elements)
      : columns_(columns), elements_(std::move(elements)) {
    elements_.resize(rows * columns);
  }
  static DenseMatrix identity(std::size_t n) {
    DenseMatrix one(n, n);
    for (std::size_t i = 0; i < n; ++i) one(i, i) = T(1);
    return one;
  }

  std::size_t rows() const { return columns_ == 0 ? 0 : elements_.size() / columns_; }
  std::size_t columns() const { return columns_; }
  T& operator()(std::size_t i, std::size_t j) { return elements_[i * columns_ + j]; }
  const T& operator()(std::size_t i, std::size_t j) const { return elements_[i * columns_ + j]; }
  std::span<T> row(std::size_t i) { return {elements_.data() + i * columns_, columns_}; }
  std::span<const T> row(std::size_t i) const { return {elements_.data() + i * columns_, columns_}; }
  const std::vector<T>& elements() const { return elements_; }  // row by row

 private:
  std::size_t columns_ = 0;
  std::vector<T> elements_;
};
using Matrix = DenseMatrix<double>;
using ComplexMatrix = DenseMatrix<std::complex<double>>;

Matrix operator*(const Matrix& a, const Matrix& b);
ComplexMatrix operator*(const ComplexMatrix& a, const ComplexMatrix& b);
Matrix transposed(const Matrix& a);
ComplexMatrix adjoint(const ComplexMatrix& a);
// transposed(a) * b.
Matrix transposed_product(const Matrix& a, const Matrix& b);

// x with a x = b for a square matrix; not finite if a is singular.
std::vector<double> solve(const Matrix& a, const std::vector<double>& b);

// x with the least |a x - b|, where `columns` are those of a, all as long as b. Columns that depend linearly on others,
// up to rounding, are left out: their x is 0.
std::vector<double> least_squares(const std::vector<std::vector<double>>& columns,
                                  const std::vector<double>& b);

// a x = value b x for symmetric matrices of which b is positive definite: values in ascending order; vector n is row n
// of `vectors`, with x^T b x = 1. Not finite if b is not positive definite.
struct Eigenpairs {
  std::vector<double> values;
  Matrix vectors;
};
Eigenpairs generalized_eigenpairs(const Matrix& a, const Matrix& b);

// The Schur form u t u^H of a square matrix: t upper triangular, u unitary. Throws Failure if it is not found.
struct ComplexSchur {
  explicit ComplexSchur(const Matrix& a);
  ComplexMatrix t, u;
};

}  // namespace meander::ccz4
