// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Quantities common to all terms in one volume: the inverse conformal metric, its Christoffel symbols, raised
// tensors and traces. Usable in device code.

#include "physics/ccz4/unknowns.hpp"

namespace meander::ccz4 {

// Determinant of a symmetric tensor; its cofactors.
template <class T>
MEANDER_TERM T determinant(const Fields<const T>& q, Symmetric<T>& cofactor) {
  const T xx = q.g(0, 0), xy = q.g(0, 1), xz = q.g(0, 2), yy = q.g(1, 1), yz = q.g(1, 2), zz = q.g(2, 2);
  cofactor(0, 0) = fma(yy, zz, -(yz * yz));
  cofactor(0, 1) = fma(xz, yz, -(xy * zz));
  cofactor(0, 2) = fma(xy, yz, -(xz * yy));
  cofactor(1, 1) = fma(xx, zz, -(xz * xz));
  cofactor(1, 2) = fma(xy, xz, -(xx * yz));
  cofactor(2, 2) = fma(xx, yy, -(xy * xy));
  return fma(xx, cofactor(0, 0), fma(xy, cofactor(0, 1), xz * cofactor(0, 2)));
}

// g~^ij X_ij.
template <class T>
MEANDER_TERM T trace(const Symmetric<T>& inverse, const Symmetric<T>& x) {
  const T sides = fma(inverse(0, 1), x(0, 1), fma(inverse(0, 2), x(0, 2), inverse(1, 2) * x(1, 2)));
  const T diagonal = fma(inverse(0, 0), x(0, 0), fma(inverse(1, 1), x(1, 1), inverse(2, 2) * x(2, 2)));
  return fma(T(2.0), sides, diagonal);
}

// The six components of a symmetric field, from the first on.
template <class T>
MEANDER_TERM Symmetric<T> symmetric(const T* first) {
  Symmetric<T> x;
  MEANDER_UNROLL
  for (int n = 0; n < 6; ++n) x.of[n] = first[n];
  return x;
}

template <class T>
struct Geometry {
  T det;
  Symmetric<T> inverse;   // g~^ij
  Symmetric<T> lower[3];  // G~_lij
  Symmetric<T> upper[3];  // G~^k_ij
  T contracted[3];        // G~^i = g~^jk G~^i_jk
  T D[3][3][3];           // D_k^i_j
  T Z[3], Z_up[3];        // Z_i, g~^ij Z_j
  T A_mixed[3][3];        // A~^i_j
  Symmetric<T> A_up;      // A~^ij
  T tr_A;                 // g~^ij A~_ij
  T tr_dA[3];             // T_k = d_k tr A~
  T div_beta;             // B_k^k
  T div_dB[3];            // d_(k B_l)^l
  T lapse_K;              // K - K_0 - 2 c Theta

  MEANDER_TERM T raise(int i, const T* x) const {
    return fma(inverse(i, 0), x[0], fma(inverse(i, 1), x[1], inverse(i, 2) * x[2]));
  }
};

template <class T>
MEANDER_TERM void christoffel(const Local<T>& x, Geometry<T>& s) {
  const Fields<const T> q = x.at;
  const T volume = T(1.0) / s.det;
  MEANDER_UNROLL
  for (int n = 0; n < 6; ++n) s.inverse.of[n] = s.inverse.of[n] * volume;
  MEANDER_UNROLL
  for (int l = 0; l < 3; ++l) {
    MEANDER_UNROLL
    for (int i = 0; i < 3; ++i) {
      MEANDER_UNROLL
      for (int j = i; j < 3; ++j) s.lower[l](i, j) = q.D(i, j, l) + (q.D(j, i, l) - q.D(l, i, j));
    }
  }
  MEANDER_UNROLL
  for (int n = 0; n < 6; ++n) {
    const T lower[3] = {s.lower[0].of[n], s.lower[1].of[n], s.lower[2].of[n]};
    MEANDER_UNROLL
    for (int k = 0; k < 3; ++k) s.upper[k].of[n] = s.raise(k, lower);
  }
  MEANDER_UNROLL
  for (int k = 0; k < 3; ++k) {
    s.contracted[k] = trace(s.inverse, s.upper[k]);
    MEANDER_UNROLL
    for (int j = 0; j < 3; ++j) {
      const T column[3] = {q.D(k, 0, j), q.D(k, 1, j), q.D(k, 2, j)};
      MEANDER_UNROLL
      for (int i = 0; i < 3; ++i) s.D[k][i][j] = s.raise(i, column);
    }
  }
}

template <class T>
MEANDER_TERM void raised_curvature(const Local<T>& x, Geometry<T>& s) {
  const Fields<const T> q = x.at;
  MEANDER_UNROLL
  for (int j = 0; j < 3; ++j) {
    const T column[3] = {q.At(0, j), q.At(1, j), q.At(2, j)};
    MEANDER_UNROLL
    for (int i = 0; i < 3; ++i) s.A_mixed[i][j] = s.raise(i, column);
  }
  MEANDER_UNROLL
  for (int i = 0; i < 3; ++i) {
    MEANDER_UNROLL
    for (int j = i; j < 3; ++j) s.A_up(i, j) = s.raise(j, s.A_mixed[i]);
  }
  s.tr_A = s.A_mixed[0][0] + (s.A_mixed[1][1] + s.A_mixed[2][2]);
  MEANDER_UNROLL
  for (int k = 0; k < 3; ++k) {
    const T metric = trace(s.A_up, symmetric(&q.D(k, 0, 0)));
    s.tr_dA[k] = fma(T(-2.0), metric, trace(s.inverse, symmetric(&x.d[k].At(0, 0))));
  }
}

template <class T>
MEANDER_TERM void geometry(const Local<T>& x, double c, Geometry<T>& s) {
  const Fields<const T> q = x.at;
  s.det = determinant(q, s.inverse);
  christoffel(x, s);
  raised_curvature(x, s);
  MEANDER_UNROLL
  for (int i = 0; i < 3; ++i) s.Z_up[i] = T(0.5) * (q.G(i) - s.contracted[i]);
  MEANDER_UNROLL
  for (int i = 0; i < 3; ++i) {
    s.Z[i] = fma(q.g(i, 0), s.Z_up[0], fma(q.g(i, 1), s.Z_up[1], q.g(i, 2) * s.Z_up[2]));
    const T forward = x.d[i].B(0, 0) + (x.d[i].B(1, 1) + x.d[i].B(2, 2));
    const T backward = x.d[0].B(i, 0) + (x.d[1].B(i, 1) + x.d[2].B(i, 2));
    s.div_dB[i] = T(0.5) * (forward + backward);
  }
  s.div_beta = q.B(0, 0) + (q.B(1, 1) + q.B(2, 2));
  s.lapse_K = fma(T(-2.0 * c), q.Theta(), q.K() - q.K0());
}

}  // namespace meander::ccz4
