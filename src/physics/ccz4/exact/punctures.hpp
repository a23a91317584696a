// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Black holes as punctures, with momenta and spins (Bowen and York 1980; Brandt and Bruegmann 1997), for
// from_data():
//   g_ij = psi^4 delta_ij,  K_ij = psi^-2 A_ij,  psi = 1 + sum of m / (2 r) + u,  lapse = psi^-2,  no shift.
// The momentum constraint holds exactly. The regular part u is the sum of the contributions of each hole
// alone to second order in P / m and S / m^2, the solution of
//   laplace u = -A_ij A^ij / (8 (1 + m / (2 r))^7)
// in powers of l = 1 / (1 + 2 r / m) (Gleiser, Khanna and Pullin 2002; Dennison, Baumgarte and Pfeiffer
// 2006). The Hamiltonian constraint is therefore violated by terms of fourth order, and for several holes by
// terms that decrease with their distance. One hole at rest without spin is exact.

#include <vector>

#include "physics/ccz4/exact/metrics.hpp"

namespace meander::ccz4::exact {

// Bare mass > 0, position, linear momentum and spin.
struct Hole {
  double mass = 1.0;
  double position[3] = {0, 0, 0}, momentum[3] = {0, 0, 0}, spin[3] = {0, 0, 0};
};

inline double square(const double (&v)[3]) {
  return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

// The contribution of one hole to psi - 1 at distance r > 0. n: unit vector from the hole.
template <class S>
S conformal_share(const Hole& hole, const S& r, const S (&n)[3]) {
  using std::log;
  const double m = hole.mass, p2 = square(hole.momentum) / (m * m), s2 = square(hole.spin) / (m * m * m * m);
  S share = S(0.5 * m) / r;
  const S R = S(2.0 / m) * r, l = S(1.0) / (S(1.0) + R), l5 = l * l * l * l * l;
  // (3 cos^2 - 1) / 2 for the angle to a vector.
  const auto legendre = [&](const double(&v)[3]) {
    const S along = S(v[0]) * n[0] + S(v[1]) * n[1] + S(v[2]) * n[2];
    return S(1.5 / square(v)) * along * along - S(0.5);
  };
  if (p2 > 0) {
    const S x = R * l, R2 = R * R;  // x = 1 - l
    const S round = S(0.125) * (S(1.0) - x * x * x * x * x);
    const S flat =
        S(0.05) * l5 *
            (S(84.0) / R2 + S(378.0) / R + S(658.0) + R * (S(539.0) + R * (S(192.0) + S(15.0) * R))) +
        S(4.2) * log(l) / (R2 * R);
    share = share + S(p2) * (round + flat * legendre(hole.momentum));
  }
  if (s2 > 0) {
    const S round = l * (S(1.0) + l * (S(1.0) + l * (S(1.0) + l * (S(2.0) * l - S(4.0)))));
    share = share + S(s2) * (S(0.4) * round - S(0.8) * R * R * l5 * legendre(hole.spin));
  }
  return share;
}

// The contribution of one hole to A_ij.
template <class S>
void add_curvature(const Hole& hole, const S& r, const S (&n)[3], Symmetric<S>& curvature) {
  const double(&P)[3] = hole.momentum, (&J)[3] = hole.spin;
  const S along = S(P[0]) * n[0] + S(P[1]) * n[1] + S(P[2]) * n[2];
  const S cross[3] = {S(J[1]) * n[2] - S(J[2]) * n[1], S(J[2]) * n[0] - S(J[0]) * n[2],
                      S(J[0]) * n[1] - S(J[1]) * n[0]};
  const S by_momentum = S(1.5) / (r * r), by_spin = S(3.0) / (r * r * r);
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      const S delta(i == j ? 1.0 : 0.0);
      curvature(i, j) = curvature(i, j) +
                        by_momentum * (S(P[i]) * n[j] + S(P[j]) * n[i] - (delta - n[i] * n[j]) * along) +
                        by_spin * (n[i] * cross[j] + n[j] * cross[i]);
    }
  }
}

// psi: the part that belongs to no hole. share(hole, r, n): the contribution of each hole. x must not be a
// puncture.
template <class S, class Share>
InitialData<S> bowen_york(const std::vector<Hole>& holes, const S (&x)[3], S psi, const Share& share) {
  InitialData<S> data;
  data.adm = flat<S>();
  for (S& component : data.curvature.of) component = S(0.0);
  for (const Hole& hole : holes) {
    const S d[3] = {x[0] - S(hole.position[0]), x[1] - S(hole.position[1]), x[2] - S(hole.position[2])};
    const S r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const S n[3] = {d[0] / r, d[1] / r, d[2] / r};
    psi = psi + share(hole, r, n);
    add_curvature(hole, r, n, data.curvature);
  }
  const S psi2 = psi * psi;
  data.adm.lapse = S(1.0) / psi2;
  for (int i = 0; i < 3; ++i) data.adm.metric(i, i) = psi2 * psi2;
  for (S& component : data.curvature.of) component = component / psi2;
  return data;
}

struct Punctures {
  std::vector<Hole> holes;

  // x must not be a puncture.
  template <class S>
  InitialData<S> operator()(const S (&x)[3]) const {
    return bowen_york(holes, x, S(1.0), conformal_share<S>);
  }
};

}  // namespace meander::ccz4::exact
