// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The 59 unknowns of first-order CCZ4 (Dumbser et al. 2018, arXiv:1707.09910) in storage order, and a view of
// them by the names of the paper. Symmetric tensors are stored once (xx xy xz yy yz zz). The first index of B
// and D is the slowest. Lapse and conformal factor are stored themselves, not their logarithms, so A_k = d_k
// a and P_k = d_k phi. Usable in device code.

#include "physics/ccz4/parameters.hpp"
#include "solvers/math.hpp"

namespace meander::ccz4 {

inline constexpr int unknowns = 59;

// The index of the first component of each field.
namespace at {
inline constexpr int g = 0, At = 6, Theta = 12, G = 13, a = 16, beta = 17, b = 20, A = 23, B = 26, D = 35,
                     K = 53, phi = 54, P = 55, K0 = 58;
}

// Index of component (i, j) of a symmetric tensor among its six.
constexpr int pair(int i, int j) {
  return i < j ? i * (5 - i) / 2 + j : j * (5 - j) / 2 + i;
}

// A symmetric tensor.
template <class T>
struct Symmetric {
  T of[6];
  MEANDER_TERM T& operator()(int i, int j) { return of[pair(i, j)]; }
  MEANDER_TERM const T& operator()(int i, int j) const { return of[pair(i, j)]; }
};

// The unknowns of one volume, their derivatives along one axis, or their rates (T not const).
template <class T>
struct Fields {
  T* q;

  MEANDER_TERM T& g(int i, int j) const { return q[at::g + pair(i, j)]; }  // conformal metric, det = 1
  MEANDER_TERM T& At(int i, int j) const {
    return q[at::At + pair(i, j)];
  }  // trace-free extrinsic curvature A~_ij
  MEANDER_TERM T& Theta() const { return q[at::Theta]; }
  MEANDER_TERM T& G(int i) const { return q[at::G + i]; }  // Gamma-hat^i = G~^i + 2 g~^ij Z_j
  MEANDER_TERM T& a() const { return q[at::a]; }           // lapse
  MEANDER_TERM T& beta(int i) const { return q[at::beta + i]; }
  MEANDER_TERM T& b(int i) const { return q[at::b + i]; }                 // driver of the shift
  MEANDER_TERM T& A(int k) const { return q[at::A + k]; }                 // d_k a
  MEANDER_TERM T& B(int k, int i) const { return q[at::B + 3 * k + i]; }  // d_k beta^i
  MEANDER_TERM T& D(int k, int i, int j) const { return q[at::D + 6 * k + pair(i, j)]; }  // d_k g~_ij / 2
  MEANDER_TERM T& K() const { return q[at::K]; }
  MEANDER_TERM T& phi() const { return q[at::phi]; }       // det(g)^(-1/6)
  MEANDER_TERM T& P(int k) const { return q[at::P + k]; }  // d_k phi
  MEANDER_TERM T& K0() const { return q[at::K0]; }
};

// Unknowns and their derivatives: d[k] along axis k.
template <class T>
struct Local {
  Fields<const T> at;
  Fields<const T> d[3];
};

}  // namespace meander::ccz4
