// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/linear_algebra.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.hpp"

namespace meander::ccz4 {
namespace {

using Complex = std::complex<double>;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// Without the test of the standard's product for infinities.
Complex times(const Complex& a, const Complex& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
double times(double a, double b) {
  return a * b;
}

double inner_product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// y += factor * x.
template <class T>
void add(std::span<T> y, const T& factor, std::span<const T> x) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += times(factor, x[i]);
}

template <class T>
DenseMatrix<T> product(const DenseMatrix<T>& a, const DenseMatrix<T>& b) {
  DenseMatrix<T> c(a.rows(), b.columns());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t k = 0; k < a.columns(); ++k) add(c.row(i), a(i, k), b.row(k));
  }
  return c;
}

// The lower triangular factor l of a = l l^T.
Matrix cholesky(Matrix a) {
  const std::size_t n = a.rows();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double rest = a(i, j) - inner_product(a.row(i).first(j), a.row(j).first(j));
      a(i, j) = i == j ? std::sqrt(rest) : rest / a(j, j);
    }
    for (std::size_t j = i + 1; j < n; ++j) a(i, j) = 0;
  }
  return a;
}

// Replaces the rows x of `rows` by the solutions of l y = x.
void solve_lower(const Matrix& l, Matrix& rows) {
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const std::span<double> x = rows.row(r);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = (x[i] - inner_product(l.row(i).first(i), x.first(i))) / l(i, i);
  }
}
// As above for l^T y = x.
void solve_transposed(const Matrix& l, Matrix& rows) {
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const std::span<double> x = rows.row(r);
    for (std::size_t i = x.size(); i-- > 0;) {
      x[i] /= l(i, i);
      add(x.first(i), -x[i], l.row(i).first(i));
    }
  }
}

// q a q^T = the tridiagonal matrix with this diagonal and off[i] between i and i + 1, q orthogonal.
struct Tridiagonal {
  std::vector<double> diagonal, off;
  Matrix q;
};

Tridiagonal tridiagonal(Matrix a) {
  const std::size_t n = a.rows();
  Tridiagonal result{std::vector<double>(n), std::vector<double>(n), Matrix::identity(n)};
  std::vector<double> v(n), w(n);
  for (std::size_t k = 0; k + 2 < n; ++k) {
    // The reflection of the rest of column k onto its first element: I - 2 v v^T / |v|^2.
    for (std::size_t i = 0; i < n; ++i) v[i] = i > k ? a(i, k) : 0;
    const double norm = std::sqrt(inner_product(v, v));
    if (norm == std::abs(v[k + 1])) continue;
    v[k + 1] += std::copysign(norm, v[k + 1]);
    const double scale = 2 / inner_product(v, v);
    for (std::size_t i = 0; i < n; ++i) w[i] = scale * inner_product(a.row(i), v);
    const double half = 0.5 * scale * inner_product(v, w);
    for (std::size_t i = 0; i < n; ++i) w[i] -= half * v[i];
    for (std::size_t i = 0; i < n; ++i) {
      const double vi = v[i], wi = w[i];
      const std::span<double> row = a.row(i);
      for (std::size_t j = 0; j < n; ++j) row[j] -= vi * w[j] + wi * v[j];
    }
    std::fill(w.begin(), w.end(), 0.0);
    for (std::size_t i = k + 1; i < n; ++i) add<double>(w, v[i], result.q.row(i));
    for (std::size_t i = k + 1; i < n; ++i) add<double>(result.q.row(i), -scale * v[i], w);
  }
  for (std::size_t i = 0; i < n; ++i) {
    result.diagonal[i] = a(i, i);
    result.off[i] = i + 1 < n ? a(i + 1, i) : 0;
  }
  return result;
}

// Rotates rows i and i + 1.
void rotate(Matrix& q, std::size_t i, double c, double s) {
  const std::span<double> upper = q.row(i), lower = q.row(i + 1);
  for (std::size_t j = 0; j < upper.size(); ++j) {
    const double f = lower[j];
    lower[j] = s * upper[j] + c * f;
    upper[j] = c * upper[j] - s * f;
  }
}

// Makes the matrix diagonal by the implicit QL method. Rows of q: the eigenvectors.
void diagonalize(Tridiagonal& a) {
  constexpr int most_iterations = 60;  // for an eigenvalue; 3 are typical
  std::vector<double>&d = a.diagonal, &e = a.off;
  const std::size_t n = d.size();
  for (std::size_t l = 0; l < n; ++l) {
    for (int iteration = 0;; ++iteration) {
      std::size_t m = l;
      while (m + 1 < n && std::abs(e[m]) > epsilon * (std::abs(d[m]) + std::abs(d[m + 1]))) ++m;
      if (m == l || !std::isfinite(e[m - 1])) break;
      if (iteration == most_iterations) {
        d[l] = std::numeric_limits<double>::quiet_NaN();
        break;
      }
      double g = (d[l + 1] - d[l]) / (2 * e[l]);
      g = d[m] - d[l] + e[l] / (g + std::copysign(std::hypot(g, 1.0), g));
      double s = 1, c = 1, p = 0;
      std::size_t i = m;
      while (i-- > l) {
        const double f = s * e[i], b = c * e[i], r = std::hypot(f, g);
        e[i + 1] = r;
        if (r == 0) {
          d[i + 1] -= p;
          break;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        const double t = (d[i] - g) * s + 2 * c * b;
        p = s * t;
        d[i + 1] = g + p;
        g = c * t - b;
        rotate(a.q, i, c, s);
      }
      if (i + 1 > l) {  // ended by r = 0
        e[m] = 0;
        continue;
      }
      d[l] -= p;
      e[l] = g;
      e[m] = 0;
    }
  }
}

// Applies I - 2 v v^H / |v|^2 from the left and the right to t, and from the right to u. v is 0 before `first`.
void reflect(ComplexMatrix& t, ComplexMatrix& u, const std::vector<Complex>& v, std::size_t first) {
  const std::size_t n = v.size();
  double square = 0;
  for (const Complex& element : v) square += std::norm(element);
  const double scale = 2 / square;
  std::vector<Complex> sum(n);
  for (std::size_t i = first; i < n; ++i) add<Complex>(sum, std::conj(v[i]), t.row(i));
  for (std::size_t i = first; i < n; ++i) add<Complex>(t.row(i), -scale * v[i], sum);
  for (ComplexMatrix* matrix : {&t, &u}) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::span<Complex> row = matrix->row(i);
      Complex along;
      for (std::size_t j = first; j < n; ++j) along += times(row[j], v[j]);
      for (std::size_t j = first; j < n; ++j) row[j] -= scale * times(along, std::conj(v[j]));
    }
  }
}

void reduce_to_hessenberg(ComplexMatrix& t, ComplexMatrix& u) {
  const std::size_t n = t.rows();
  for (std::size_t k = 0; k + 2 < n; ++k) {
    std::vector<Complex> v(n);
    double square = 0, below = 0;
    for (std::size_t i = k + 1; i < n; ++i) {
      v[i] = t(i, k);
      square += std::norm(v[i]);
      if (i > k + 1) below += std::norm(v[i]);
    }
    if (below == 0) continue;
    const double first = std::abs(v[k + 1]);
    v[k + 1] += std::sqrt(square) * (first > 0 ? v[k + 1] / first : Complex(1));
    reflect(t, u, v, k + 1);
    for (std::size_t i = k + 2; i < n; ++i) t(i, k) = 0;
  }
}

// The eigenvalue of rows and columns k and k + 1 that is closer to the last element.
Complex wilkinson_shift(const ComplexMatrix& t, std::size_t k) {
  const Complex a = t(k, k), d = t(k + 1, k + 1), bc = t(k, k + 1) * t(k + 1, k);
  const Complex half = 0.5 * (a - d), root = std::sqrt(half * half + bc);
  const Complex plus = half + root, minus = half - root,
                far = std::abs(plus) > std::abs(minus) ? plus : minus;
  return far == 0.0 ? d : d - bc / far;
}

// One implicit step of the QR method on rows and columns low to high.
void qr_step(ComplexMatrix& t, ComplexMatrix& u, std::size_t low, std::size_t high, const Complex& shift) {
  const std::size_t n = t.rows();
  Complex f = t(low, low) - shift, g = t(low + 1, low);
  for (std::size_t k = low; k < high; ++k) {
    if (k > low) {
      f = t(k, k - 1);
      g = t(k + 1, k - 1);
    }
    // The rotation that takes (f, g) to (r, 0).
    const double r = std::hypot(std::abs(f), std::abs(g));
    if (r == 0) continue;
    const Complex c = f / r, s = g / r;
    for (std::size_t j = k > low ? k - 1 : k; j < n; ++j) {
      const Complex upper = t(k, j), lower = t(k + 1, j);
      t(k, j) = times(std::conj(c), upper) + times(std::conj(s), lower);
      t(k + 1, j) = times(c, lower) - times(s, upper);
    }
    if (k > low) t(k + 1, k - 1) = 0;
    const auto from_right = [&](ComplexMatrix& matrix, std::size_t rows) {
      for (std::size_t i = 0; i < rows; ++i) {
        const Complex left = matrix(i, k), right = matrix(i, k + 1);
        matrix(i, k) = times(left, c) + times(right, s);
        matrix(i, k + 1) = times(right, std::conj(c)) - times(left, std::conj(s));
      }
    };
    from_right(t, std::min(k + 3, high + 1));
    from_right(u, n);
  }
}

}  // namespace

Matrix operator*(const Matrix& a, const Matrix& b) {
  return product(a, b);
}
ComplexMatrix operator*(const ComplexMatrix& a, const ComplexMatrix& b) {
  return product(a, b);
}

Matrix transposed(const Matrix& a) {
  Matrix result(a.columns(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.columns(); ++j) result(j, i) = a(i, j);
  }
  return result;
}

ComplexMatrix adjoint(const ComplexMatrix& a) {
  ComplexMatrix result(a.columns(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.columns(); ++j) result(j, i) = std::conj(a(i, j));
  }
  return result;
}

Matrix transposed_product(const Matrix& a, const Matrix& b) {
  constexpr std::size_t strip = 64;  // rows of the result, which stay in the cache
  Matrix c(a.columns(), b.columns());
  for (std::size_t start = 0; start < a.columns(); start += strip) {
    const std::size_t end = std::min(start + strip, a.columns());
    for (std::size_t k = 0; k < a.rows(); ++k) {
      for (std::size_t i = start; i < end; ++i) add(c.row(i), a(k, i), b.row(k));
    }
  }
  return c;
}

std::vector<double> solve(Matrix a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    }
    std::swap_ranges(a.row(k).begin(), a.row(k).end(), a.row(pivot).begin());
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = -a(i, k) / a(k, k);
      add<double>(a.row(i).subspan(k), factor, a.row(k).subspan(k));
      b[i] += factor * b[k];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    const std::span<double> known(b.data() + i + 1, n - i - 1);
    b[i] = (b[i] - inner_product(a.row(i).subspan(i + 1), known)) / a(i, i);
  }
  return b;
}

std::vector<double> least_squares(std::vector<std::vector<double>> columns, std::vector<double> b) {
  const std::size_t n = columns.size();
  std::vector<std::size_t> order(n);  // columns in the order of elimination
  std::iota(order.begin(), order.end(), std::size_t{0});
  Matrix r(n, n);
  std::vector<double> right(n), x(n);
  std::size_t rank = 0;
  for (double largest = 0; rank < n; ++rank) {
    std::size_t pivot = rank;
    double square = -1;
    for (std::size_t j = rank; j < n; ++j) {
      const double other = inner_product(columns[order[j]], columns[order[j]]);
      if (other > square) {
        square = other;
        pivot = j;
      }
    }
    const double norm = std::sqrt(square);
    largest = std::max(largest, norm);
    if (!(norm > static_cast<double>(n) * epsilon * largest)) break;
    std::swap(order[rank], order[pivot]);
    for (std::size_t i = 0; i < rank; ++i) std::swap(r(i, rank), r(i, pivot));
    std::vector<double>& q = columns[order[rank]];
    for (double& element : q) element /= norm;
    r(rank, rank) = norm;
    for (std::size_t j = rank + 1; j < n; ++j) {
      std::vector<double>& column = columns[order[j]];
      r(rank, j) = inner_product(q, column);
      add<double>(column, -r(rank, j), q);
    }
    right[rank] = inner_product(q, b);
    add<double>(b, -right[rank], q);
  }
  for (std::size_t i = rank; i-- > 0;) {
    double rest = right[i];
    for (std::size_t j = i + 1; j < rank; ++j) rest -= r(i, j) * x[order[j]];
    x[order[i]] = rest / r(i, i);
  }
  return x;
}

Eigenpairs generalized_eigenpairs(Matrix a, Matrix b) {
  const std::size_t n = a.rows();
  const Matrix l = cholesky(std::move(b));
  // l^-1 a l^-T: both factors act on rows, since a is symmetric.
  solve_lower(l, a);
  a = transposed(a);
  solve_lower(l, a);
  Tridiagonal form = tridiagonal(std::move(a));
  diagonalize(form);
  solve_transposed(l, form.q);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return form.diagonal[i] < form.diagonal[j]; });
  Eigenpairs result{std::vector<double>(n), Matrix(n, n)};
  for (std::size_t i = 0; i < n; ++i) {
    result.values[i] = form.diagonal[order[i]];
    std::ranges::copy(form.q.row(order[i]), result.vectors.row(i).begin());
  }
  return result;
}

ComplexSchur::ComplexSchur(const Matrix& a) : t(a.rows(), a.rows()), u(ComplexMatrix::identity(a.rows())) {
  constexpr int most_iterations = 60;  // for an eigenvalue
  for (std::size_t i = 0; i < a.rows(); ++i) std::ranges::copy(a.row(i), t.row(i).begin());
  reduce_to_hessenberg(t, u);
  int iteration = 0;
  for (std::size_t high = a.rows(); high-- > 1;) {
    std::size_t low = high;
    for (; low > 0; --low) {
      const double beside = std::abs(t(low - 1, low - 1)) + std::abs(t(low, low));
      if (!(std::abs(t(low, low - 1)) > epsilon * beside)) break;
    }
    if (low > 0) t(low, low - 1) = 0;
    if (low == high) {
      iteration = 0;
      continue;
    }
    if (++iteration > most_iterations)
      throw Failure("the QR method does not converge: eigenvalues of a matrix");
    const bool exceptional = iteration % 10 == 0;
    qr_step(t, u, low, high,
            exceptional ? Complex(std::abs(t(high, high - 1)) + std::abs(t(high, high)))
                        : wilkinson_shift(t, high - 1));
    ++high;  // the same eigenvalue again
  }
}

}  // namespace meander::ccz4
