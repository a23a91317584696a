// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The Weyl tensor in vacuum from the data of one slice of spacetime, and Psi4, which is gravitational
// radiation far out (Alcubierre 2008, Introduction to 3+1 Numerical Relativity, ch. 8.6):
//   E_ij = R_ij + K K_ij - K_ik K^k_j,  B_ij = epsilon_(i^kl D_k K_j)l,  both without their trace,
//   Psi4 = (E_ij - i B_ij) m*^i m*^j,  m = (e_theta + i e_phi) / sqrt(2),
// where e_phi, e_r, e_theta are orthonormalised in this order. An outgoing wave has Psi4 = -d^2/dt^2 (h_plus
// - i h_cross); an ingoing wave has none.

#include <array>
#include <cmath>
#include <complex>
#include <span>

#include "physics/ccz4/constraints.hpp"

namespace meander::ccz4 {

// phi^2 E_ij and phi^2 B_ij, up to multiples of g~_ij. Indices are raised and lowered with g~.
template <class T>
struct Weyl {
  Symmetric<T> electric, magnetic;
};

// The unknowns that weyl() reads; it reads derivatives of the first weyl_slopes of them.
inline constexpr std::size_t weyl_slopes = 27;
inline constexpr std::array<int, 35> weyl_unknowns = [] {
  std::array<int, 35> list{};
  std::size_t n = 0;
  const auto add = [&](int first, int count) {
    for (int i = 0; i < count; ++i) list[n++] = first + i;
  };
  add(at::At, 6);
  add(at::D, 18);
  add(at::P, 3);
  add(at::g, 6);
  add(at::K, 1);
  add(at::phi, 1);
  return list;
}();

// gradient[axis * unknowns + n], as in Terms::rates().
template <class T>
Weyl<T> weyl(const T* unknown, const T* gradient) {
  T q[unknowns], d[3 * unknowns], dG[3][3];
  for (int n = 0; n < unknowns; ++n) q[n] = unknown[n];
  for (int n = 0; n < 3 * unknowns; ++n) d[n] = gradient[n];
  // With a constant lapse and G^i the contracted Christoffel symbols, curvature() gives phi^2 R_ij.
  const Fields<T> flat{q};
  flat.a() = T(1.0);
  for (int k = 0; k < 3; ++k) {
    flat.A(k) = T(0.0);
    for (int m = 0; m < 3; ++m) d[m * unknowns + at::A + k] = T(0.0);
  }
  const Local<T> x{{q}, {{d}, {d + unknowns}, {d + 2 * unknowns}}};
  Geometry<T> s;
  geometry(x, 0.0, s);
  connection_gradient(x, s, dG);
  for (int i = 0; i < 3; ++i) {
    q[at::G + i] = s.contracted[i];
    for (int m = 0; m < 3; ++m) d[m * unknowns + at::G + i] = dG[m][i];
  }
  geometry(x, 0.0, s);
  Curvature<T> r;
  curvature(x, s, r);
  const Fields<const T> here = x.at;
  Weyl<T> w;
  T turned[3][3];  // [akl] (D_k K_jl), by a and j
  for (int j = 0; j < 3; ++j) {
    T derivative[3][3];  // phi^2 D_k K_jl except for terms that epsilon or the symmetry cancel
    for (int k = 0; k < 3; ++k) {
      for (int l = 0; l < 3; ++l) {
        derivative[k][l] = x.d[k].At(j, l) - here.P(k) / here.phi() * here.At(j, l);
        for (int m = 0; m < 3; ++m) derivative[k][l] = derivative[k][l] - s.upper[m](j, k) * here.At(l, m);
      }
    }
    for (int a = 0; a < 3; ++a) {
      const int k = (a + 1) % 3, l = (a + 2) % 3;
      turned[a][j] = derivative[k][l] - derivative[l][k];
    }
  }
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      T square(0.0), magnetic(0.0);
      for (int k = 0; k < 3; ++k) {
        square = square + here.At(i, k) * s.A_mixed[k][j];
        magnetic = magnetic + here.g(k, i) * turned[k][j] + here.g(k, j) * turned[k][i];
      }
      w.electric(i, j) = r.source(i, j) + T(1.0 / 3.0) * here.K() * here.At(i, j) - square;
      w.magnetic(i, j) = T(0.5) * here.phi() * magnetic;
    }
  }
  return w;
}

// At point `x` relative to the centre of the radial direction. metric: g~. On the z axis, where e_theta and
// e_phi have no direction, they are those of phi = 0; the centre is treated as a point above it on the axis.
inline std::complex<double> psi4(const Weyl<double>& w, const Symmetric<double>& metric, const double* x) {
  const auto product = [&](const double* a, const double* b) {
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) sum += metric(i, j) * a[i] * b[j];
    }
    return sum;
  };
  const auto normalise = [&](double* a) {
    const double length = std::sqrt(product(a, a));
    for (int i = 0; i < 3; ++i) a[i] /= length;
  };
  double around[3] = {-x[1], x[0], 0}, outwards[3] = {x[0], x[1], x[2]}, down[3];
  if (x[0] == 0 && x[1] == 0) {
    around[1] = 1;
    if (x[2] == 0) outwards[2] = 1;
  }
  normalise(around);
  const double along = product(around, outwards);
  for (int i = 0; i < 3; ++i) outwards[i] -= along * around[i];
  normalise(outwards);
  // e_theta = e_phi x e_r. With lower indices it is the plain product, as det g~ = 1; it is raised by
  // orthogonality.
  double lowered[3];
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    lowered[i] = around[j] * outwards[k] - around[k] * outwards[j];
  }
  const Fields<const double> g{metric.of};
  Symmetric<double> inverse;
  const double det = determinant(g, inverse);
  for (int i = 0; i < 3; ++i) {
    down[i] = 0;
    for (int j = 0; j < 3; ++j) down[i] += inverse(i, j) / det * lowered[j];
  }
  normalise(down);
  std::complex<double> sum = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const std::complex<double> m2 =
          0.5 * std::complex<double>(down[i], -around[i]) * std::complex<double>(down[j], -around[j]);
      sum += std::complex<double>(w.electric(i, j), -w.magnetic(i, j)) * m2;
    }
  }
  return sum;
}

// Psi4 in volume (i, j, k) of a patch, from central differences of fourth order (second if h < 2). Reads
// halos across faces only.
Weyl<double> weyl_of_volume(const PatchTask& task, const PatchLayout& layout, int i, int j, int k);

// "psi4_re" and "psi4_im": real and imaginary part of Psi4 about the domain's centre, for plot files.
const std::vector<PatchQuantity>& psi4_quantities();

}  // namespace meander::ccz4
