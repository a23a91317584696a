// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Multipole expansion of the solution of Laplacian(u) = f outside of the sources, without other sources anywhere:
//   3D  u(x) = -1 / (4 pi) integral of f(y) / |x - y|,  which vanishes far away;
//   2D  u(x) = 1 / (2 pi) integral of f(y) log |x - y|.
// With regular and irregular solid harmonics as Dehnen (2014, Comput. Astrophys. Cosmol. 1, 1, section 2.2) scales them,
// 1 / |x - y| = sum over l and m of conj(R_lm(y)) I_lm(x) for |x| > |y|; the moment M_lm is the sum of f R_lm(y). In 2D,
// R_m = z^m / m! with z = x + i y.

#include <array>
#include <complex>

#include "base/vec.hpp"

namespace meander::solvers {

inline constexpr int max_multipole_order = 4;

// About the origin, up to max_multipole_order; m >= 0 only, the others follow from these. l-th moments are in units of length^l.
template <int D>
class Multipoles {
 public:
  static constexpr int count =
      D == 3 ? (max_multipole_order + 1) * (max_multipole_order + 2) / 2 : max_multipole_order + 1;

  Multipoles() = default;
  // Of a source of strength 1, the integral of f, at x.
  explicit Multipoles(const Point<D>& x);

  std::complex<double>& operator[](int n) { return moments_[static_cast<std::size_t>(n)]; }
  const std::complex<double>& operator[](int n) const { return moments_[static_cast<std::size_t>(n)]; }
  // The order l of moment n.
  static int order(int n);

  // Those of the same sources, moved by a vector. Exact.
  Multipoles moved(const Point<D>& by) const;
  // Adds those of the sources' images, mirrored in the plane x_axis = 0.
  void add_mirrored(int axis);
  // Of the sum of f; where that is zero, the origin.
  Point<D> centre() const;
  // u at x, from moments up to an order.
  double potential(const Point<D>& x, int order) const;

 private:
  std::complex<double> at(int l, int m) const;  // 3D, any m

  std::array<std::complex<double>, count> moments_{};
};

}  // namespace meander::solvers
