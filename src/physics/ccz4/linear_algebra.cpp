// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The only object that includes Eigen: its headers take the compiler longer than most sources.
#include "physics/ccz4/linear_algebra.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>

#include <limits>

#include "base/error.hpp"

namespace meander::ccz4 {
namespace {

template <class T>
using ByRows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ByColumns = Eigen::MatrixXd;
using Eigen::Index;

template <class T>
Eigen::Map<const ByRows<T>> eigen(const DenseMatrix<T>& a) {
  return {a.elements().data(), static_cast<Index>(a.rows()), static_cast<Index>(a.columns())};
}
Eigen::Map<const Eigen::VectorXd> eigen(const std::vector<double>& b) {
  return {b.data(), static_cast<Index>(b.size())};
}

std::vector<double> values_of(const Eigen::VectorXd& x) {
  return {x.data(), x.data() + x.size()};
}
template <class T, class Expression>
DenseMatrix<T> matrix_of(const Expression& expression) {
  DenseMatrix<T> result(static_cast<std::size_t>(expression.rows()),
                        static_cast<std::size_t>(expression.cols()));
  Eigen::Map<ByRows<T>>(result.row(0).data(), expression.rows(), expression.cols()) = expression;
  return result;
}

}  // namespace

Matrix operator*(const Matrix& a, const Matrix& b) {
  return matrix_of<double>(eigen(a) * eigen(b));
}
ComplexMatrix operator*(const ComplexMatrix& a, const ComplexMatrix& b) {
  return matrix_of<std::complex<double>>(eigen(a) * eigen(b));
}
Matrix transposed(const Matrix& a) {
  return matrix_of<double>(eigen(a).transpose());
}
ComplexMatrix adjoint(const ComplexMatrix& a) {
  return matrix_of<std::complex<double>>(eigen(a).adjoint());
}
Matrix transposed_product(const Matrix& a, const Matrix& b) {
  return matrix_of<double>(eigen(a).transpose() * eigen(b));
}

std::vector<double> solve(const Matrix& a, const std::vector<double>& b) {
  return values_of(eigen(a).partialPivLu().solve(eigen(b)));
}

std::vector<double> least_squares(const std::vector<std::vector<double>>& columns,
                                  const std::vector<double>& b) {
  if (columns.empty()) return {};
  ByColumns a(static_cast<Index>(b.size()), static_cast<Index>(columns.size()));
  for (std::size_t n = 0; n < columns.size(); ++n) a.col(static_cast<Index>(n)) = eigen(columns[n]);
  return values_of(a.colPivHouseholderQr().solve(eigen(b)));
}

Eigenpairs generalized_eigenpairs(const Matrix& a, const Matrix& b) {
  const std::size_t n = a.rows();
  if (eigen(b).llt().info() != Eigen::Success) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    return {std::vector<double>(n, none), Matrix(n, n, std::vector<double>(n * n, none))};
  }
  const Eigen::GeneralizedSelfAdjointEigenSolver<ByColumns> solver(eigen(a), eigen(b));
  return {values_of(solver.eigenvalues()), matrix_of<double>(solver.eigenvectors().transpose())};
}

ComplexSchur::ComplexSchur(const Matrix& a) {
  const Eigen::ComplexSchur<ByColumns> schur(eigen(a));
  if (schur.info() != Eigen::Success) throw Failure("the Schur form of a matrix was not found");
  t = matrix_of<std::complex<double>>(schur.matrixT());
  u = matrix_of<std::complex<double>>(schur.matrixU());
}

}  // namespace meander::ccz4
