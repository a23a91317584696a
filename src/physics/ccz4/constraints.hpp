// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The constraints, which vanish for a solution of Einstein's equations and measure the error of any other
// state. Hamiltonian and momentum constraints are those of metric and extrinsic curvature alone, without
// Theta and Z_i.

#include <array>
#include <span>
#include <string>
#include <vector>

#include "physics/ccz4/curvature.hpp"
#include "solvers/solver.hpp"

namespace meander::ccz4 {

template <class T>
struct Constraints {
  T hamiltonian;           // R + 2/3 K^2 - A~_ij A~^ij
  T momentum[3];           // M_i
  T connection[3];         // G^i - G~^i
  T lapse[3];              // A_k - d_k a
  T phi[3];                // P_k - d_k phi
  T shift[3][3];           // B_k^i - d_k beta^i
  Symmetric<T> metric[3];  // D_kij - d_k g~_ij / 2
};

// d_m G~^i from D_kij and its derivatives; those derivatives that commute are symmetrised.
template <class T>
void connection_gradient(const Local<T>& x, const Geometry<T>& s, T (*gradient)[3]) {
  const Fields<const T> q = x.at;
  for (int m = 0; m < 3; ++m) {
    T lowered[3];
    for (int l = 0; l < 3; ++l) {
      T sum(0.0);
      for (int j = 0; j < 3; ++j) {
        for (int k = 0; k < 3; ++k) {
          const T second =
              x.d[m].D(j, k, l) + x.d[j].D(m, k, l) - T(0.5) * (x.d[m].D(l, j, k) + x.d[l].D(m, j, k));
          const T D_up = s.raise(k, s.D[m][j]);
          sum = sum + s.inverse(j, k) * second - T(2.0) * D_up * s.lower[l](j, k);
        }
        sum = sum - T(2.0) * q.D(m, l, j) * s.contracted[j];
      }
      lowered[l] = sum;
    }
    for (int i = 0; i < 3; ++i) gradient[m][i] = s.raise(i, lowered);
  }
}

// gradient[axis * unknowns + n], as in Terms::rates().
template <class T>
Constraints<T> constraints(const T* unknown, const T* gradient) {
  T q[unknowns], d[3 * unknowns], dG[3][3];
  for (int n = 0; n < unknowns; ++n) q[n] = unknown[n];
  for (int n = 0; n < 3 * unknowns; ++n) d[n] = gradient[n];
  const Local<T> x{{q}, {{d}, {d + unknowns}, {d + 2 * unknowns}}};
  Constraints<T> c;
  Geometry<T> s;
  geometry(x, 0.0, s);
  for (int i = 0; i < 3; ++i) c.connection[i] = T(2.0) * s.Z_up[i];
  // If G^i are the contracted Christoffel symbols themselves, R + 2 D_i Z^i equals R.
  connection_gradient(x, s, dG);
  for (int i = 0; i < 3; ++i) {
    q[at::G + i] = s.contracted[i];
    for (int m = 0; m < 3; ++m) d[m * unknowns + at::G + i] = dG[m][i];
  }
  geometry(x, 0.0, s);
  Curvature<T> r;
  curvature(x, s, r);
  c.hamiltonian = r.scalar + T(2.0 / 3.0) * x.at.K() * x.at.K() - trace(s.A_up, symmetric(&x.at.At(0, 0)));
  for (int i = 0; i < 3; ++i) {
    c.momentum[i] = T(-2.0 / 3.0) * x.d[i].K();
    c.lapse[i] = x.at.A(i) - x.d[i].a();
    c.phi[i] = x.at.P(i) - x.d[i].phi();
    for (int j = 0; j < 3; ++j) {
      c.shift[i][j] = x.at.B(i, j) - x.d[i].beta(j);
      c.momentum[i] = c.momentum[i] - T(3.0) * s.A_mixed[j][i] * x.at.P(j) / x.at.phi();
      for (int l = 0; l < 3; ++l) {
        T covariant = x.d[l].At(i, j);
        for (int m = 0; m < 3; ++m)
          covariant = covariant - s.upper[m](l, i) * x.at.At(m, j) - s.upper[m](l, j) * x.at.At(i, m);
        c.momentum[i] = c.momentum[i] + s.inverse(j, l) * covariant;
        if (l >= j) c.metric[i](j, l) = x.at.D(i, j, l) - T(0.5) * x.d[i].g(j, l);
      }
    }
  }
  return c;
}

// The names and values of the constraints in every volume of a patch, from central differences of fourth
// order (second if h < 2). Each name has p^3 values, x fastest, name after name. The last five are largest
// components. Names: "hamiltonian", "momentum_x", "momentum_y", "momentum_z", "connection", "ordering_lapse",
// "ordering_shift", "ordering_metric", "ordering_phi". Reads halos across faces only.
inline constexpr std::size_t constraint_count = 9;
std::array<std::string, constraint_count> constraint_names();
void patch_constraints(const PatchTask& task, const PatchLayout& layout, std::span<double> values);
// Each constraint as a separate quantity, for plot files.
const std::vector<PatchQuantity>& constraint_quantities();

}  // namespace meander::ccz4
