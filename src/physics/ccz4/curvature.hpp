// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Ricci tensor and second derivatives of the lapse. The equations contain the Ricci tensor only together with
// the derivatives of Z. In that sum all but one of the symmetrised second derivatives d_(m D_i)jl of G~^m_ij
// and G~^i (paper, eqs. 16 to 19) cancel for any data, also if constraints are violated:
//   R~_ij + 2 D~_(i Z_j) = -g~^kl d_k D_lij + g~_k(i d_j) G^k + D_kij G^k
//                          + 2 (D_i^kl D_klj + D_j^kl D_kli) - G~^l_ik G~^k_lj.
// Usable in device code.

#include "physics/ccz4/geometry.hpp"

namespace meander::ccz4 {

template <class T>
struct Curvature {
  // a (R_ij + 2 D_(i Z_j)) - D_i D_j a times phi^2, up to multiples of g~_ij.
  Symmetric<T> source;
  T source_trace;  // its trace with g~^ij
  T scalar;        // R + 2 D_i Z^i
  T laplacian;     // D^i D_i a
};

// R~_ij + 2 D~_(i Z_j), as above.
template <class T>
MEANDER_TERM T ricci_and_Z(const Local<T>& x, const Geometry<T>& s, int i, int j) {
  const Fields<const T> q = x.at;
  T second(0.0), quadratic(0.0), product(0.0), gradient_G(0.0), advected(0.0);
  MEANDER_UNROLL
  for (int k = 0; k < 3; ++k) {
    MEANDER_UNROLL
    for (int l = 0; l < 3; ++l) {
      second = fma(s.inverse(k, l), x.d[k].D(l, i, j), second);
      quadratic = fma(s.D[i][k][l], s.D[k][l][j], quadratic);
      if (i != j) quadratic = fma(s.D[j][k][l], s.D[k][l][i], quadratic);
      product = fma(s.upper[l](i, k), s.upper[k](l, j), product);
    }
    gradient_G = fma(q.g(k, i), x.d[j].G(k), gradient_G);
    if (i != j) gradient_G = fma(q.g(k, j), x.d[i].G(k), gradient_G);
    advected = fma(q.D(k, i, j), q.G(k), advected);
  }
  const double once = i == j ? 2.0 : 1.0;  // on the diagonal only half of the symmetric sum was taken
  return fma(T(2.0 * once), quadratic, fma(T(0.5 * once), gradient_G, advected - second)) - product;
}

template <class T>
MEANDER_TERM void curvature(const Local<T>& x, const Geometry<T>& s, Curvature<T>& r) {
  const Fields<const T> q = x.at;
  const T phi = q.phi();
  Symmetric<T> ricci, hessian, nabla_P;
  MEANDER_UNROLL
  for (int i = 0; i < 3; ++i) {
    MEANDER_UNROLL
    for (int j = i; j < 3; ++j) {
      T symbol_P(0.0), symbol_A(0.0);
      MEANDER_UNROLL
      for (int k = 0; k < 3; ++k) {
        symbol_P = fma(s.upper[k](i, j), q.P(k), symbol_P);
        symbol_A = fma(s.upper[k](i, j), q.A(k), symbol_A);
      }
      nabla_P(i, j) = fma(T(0.5), x.d[i].P(j) + x.d[j].P(i), -symbol_P);
      const T P_Z = fma(q.P(i), s.Z[j], q.P(j) * s.Z[i]), P_A = fma(q.P(i), q.A(j), q.P(j) * q.A(i));
      const T nabla_A = fma(T(0.5), x.d[i].A(j) + x.d[j].A(i), -symbol_A);
      ricci(i, j) = phi * fma(phi, ricci_and_Z(x, s, i, j), fma(T(2.0), P_Z, nabla_P(i, j)));
      hessian(i, j) = phi * fma(phi, nabla_A, P_A);
      r.source(i, j) = fma(q.a(), ricci(i, j), -hessian(i, j));
    }
  }
  T P_up[3], P_P(0.0), P_Z(0.0), P_A(0.0);
  const T P[3] = {q.P(0), q.P(1), q.P(2)};
  MEANDER_UNROLL
  for (int k = 0; k < 3; ++k) P_up[k] = s.raise(k, P);
  MEANDER_UNROLL
  for (int k = 0; k < 3; ++k) {
    P_P = fma(P_up[k], q.P(k), P_P);
    P_Z = fma(P_up[k], s.Z[k], P_Z);
    P_A = fma(P_up[k], q.A(k), P_A);
  }
  const T of_P = fma(phi, fma(T(-2.0), P_Z, trace(s.inverse, nabla_P)), T(-2.0) * P_P);
  r.source_trace = trace(s.inverse, r.source);
  r.scalar = fma(T(3.0), of_P, trace(s.inverse, ricci));
  r.laplacian = fma(T(-3.0) * phi, P_A, trace(s.inverse, hessian));
}

}  // namespace meander::ccz4
