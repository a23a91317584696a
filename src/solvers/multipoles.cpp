// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/multipoles.hpp"

#include <cmath>
#include <numbers>

namespace meander::solvers {
namespace {

using Complex = std::complex<double>;

constexpr int number(int l, int m) {
  return l * (l + 1) / 2 + m;
}

}  // namespace

template <int D>
int Multipoles<D>::order(int n) {
  if constexpr (D == 2) return n;
  int l = 0;
  while (number(l + 1, 0) <= n) ++l;
  return l;
}

template <int D>
Multipoles<D>::Multipoles(const Point<D>& x) {
  Multipoles& r = *this;
  const Complex z(x[0], x[1]);
  r[0] = 1;
  if constexpr (D == 2) {
    for (int m = 1; m < count; ++m) r[m] = r[m - 1] * z / double(m);
  } else {
    const double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    for (int m = 0; m <= max_multipole_order; ++m) {
      if (m > 0) r[number(m, m)] = r[number(m - 1, m - 1)] * z / (-2.0 * m);
      for (int l = m + 1; l <= max_multipole_order; ++l) {
        Complex next = (2.0 * l - 1) * x[2] * r[number(l - 1, m)];
        if (l > m + 1) next -= square * r[number(l - 2, m)];
        r[number(l, m)] = next / double(l * l - m * m);
      }
    }
  }
}

template <int D>
Complex Multipoles<D>::at(int l, int m) const {
  if (m >= 0) return (*this)[number(l, m)];
  const Complex of_positive = std::conj((*this)[number(l, -m)]);
  return m % 2 == 0 ? of_positive : -of_positive;
}

// R_lm(x + y) = sum over k and n of R_kn(x) R_(l-k)(m-n)(y).
template <int D>
Multipoles<D> Multipoles<D>::moved(const Point<D>& by) const {
  const Multipoles shift(by);
  Multipoles result;
  for (int l = 0; l <= max_multipole_order; ++l) {
    for (int m = 0; m <= (D == 3 ? l : 0); ++m) {
      Complex sum = 0;
      for (int k = 0; k <= l; ++k) {
        if constexpr (D == 2) {
          sum += (*this)[k] * shift[l - k];
        } else {
          for (int n = -k; n <= k; ++n) {
            if (std::abs(m - n) <= l - k) sum += at(k, n) * shift.at(l - k, m - n);
          }
        }
      }
      result[D == 2 ? l : number(l, m)] = sum;
    }
  }
  return result;
}

template <int D>
void Multipoles<D>::add_mirrored(int axis) {
  for (int l = 0; l <= max_multipole_order; ++l) {
    for (int m = 0; m <= (D == 3 ? l : 0); ++m) {
      Complex& moment = (*this)[D == 2 ? l : number(l, m)];
      const int turns = D == 2 ? l : m;  // of the phase
      Complex image = axis == 2 ? moment : std::conj(moment);
      if ((axis == 0 && turns % 2 != 0) || (axis == 2 && (l + m) % 2 != 0)) image = -image;
      moment += image;
    }
  }
}

template <int D>
Point<D> Multipoles<D>::centre() const {
  Point<D> centre{};
  const double all = (*this)[0].real();
  if (all == 0) return centre;
  const Complex z = (D == 3 ? -2.0 * (*this)[number(1, 1)] : (*this)[1]) / all;
  centre[0] = z.real();
  centre[1] = z.imag();
  if constexpr (D == 3) centre[2] = (*this)[number(1, 0)].real() / all;
  return centre;
}

template <int D>
double Multipoles<D>::potential(const Point<D>& x, int order) const {
  const Complex z(x[0], x[1]);
  if constexpr (D == 2) {
    double sum = (*this)[0].real() * std::log(std::abs(z));
    Complex irregular = -1.0;  // (m - 1)! / z^m, negative
    for (int m = 1; m <= order; ++m) {
      irregular *= double(m == 1 ? 1 : m - 1) / z;
      sum += ((*this)[m] * irregular).real();
    }
    return sum / (2 * std::numbers::pi);
  } else {
    const double inverse = 1 / (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    double sum = 0;
    Complex diagonal = std::sqrt(inverse);
    for (int m = 0; m <= order; ++m) {
      if (m > 0) diagonal *= -(2.0 * m - 1) * inverse * z;
      Complex before = 0, here = diagonal;
      for (int l = m; l <= order; ++l) {
        sum += (m == 0 ? 1 : 2) * (std::conj((*this)[number(l, m)]) * here).real();
        const Complex next = inverse * ((2.0 * l + 1) * x[2] * here - double(l * l - m * m) * before);
        before = here;
        here = next;
      }
    }
    return -sum / (4 * std::numbers::pi);
  }
}

template class Multipoles<2>;
template class Multipoles<3>;

}  // namespace meander::solvers
