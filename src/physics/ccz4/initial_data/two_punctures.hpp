// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Two black holes with Bowen-York momenta and spins that satisfy the Hamiltonian constraint. The regular part
// u of the conformal factor psi = 1 + m_1 / (2 r_1) + m_2 / (2 r_2) + u solves
//   laplace u = -A_ij A^ij / (8 psi^7),  u = 0 at infinity   (Brandt and Bruegmann 1997)
// by a spectral method in one domain that covers all of space (Ansorg, Bruegmann and Tichy 2004, Phys. Rev. D
// 70, 064011): Chebyshev polynomials in A and B, and a Fourier series in the angle about the axis through
// both punctures. A = tanh(xi / 2) and B = tan(eta / 2 - pi / 4) are prolate spheroidal coordinates, in which
// u is smooth at the punctures too.

#include <array>
#include <vector>

#include "physics/ccz4/exact/punctures.hpp"

namespace meander::ccz4 {

// Of the spectral solve; more do not change smooth data.
inline constexpr int enough_angles = 12;

class TwoPunctures {
 public:
  using Hole = ccz4::exact::Hole;

  // Solves, in less than a second for 40 points along A and B and 16 angles. Masses >= 0; the punctures are
  // at different points. Bitwise reproducible with the same program. Throws Failure if no solution is found,
  // which happens for momenta or spins much too large for the masses.
  TwoPunctures(const std::array<Hole, 2>& holes, int points, int angles);

  struct Value {
    double u = 0, gradient[3] = {0, 0, 0};
  };
  // The value at any point except the punctures. Takes about a microsecond; thread-safe.
  Value at(const double* x) const;

  // For exact::from_data().
  template <class S>
  ccz4::exact::InitialData<S> operator()(const S (&x)[3]) const {
    const double point[3] = {x[0].value, x[1].value, x[2].value};
    const Value value = at(point);
    S psi(1.0 + value.u);
    for (int a = 0; a < 4; ++a) {
      for (int i = 0; i < 3; ++i) psi.d[a] += value.gradient[i] * x[i].d[a];
    }
    return ccz4::exact::bowen_york(
        holes_, x, psi, [](const Hole& hole, const S& r, const S(&)[3]) { return S(0.5 * hole.mass) / r; });
  }

  // The total ADM mass, and that of each hole at its other end, m_1 (1 + u_1 + m_2 / (2 d)) (Ansorg et al.,
  // eq. 83).
  double adm_mass() const;
  double adm_mass(std::size_t hole) const;

  int iterations() const { return iterations_; }
  // The largest coefficient of the last two polynomials in A and in B over the largest of all: about the relative error of u where it
  // is largest. 0 without a source.
  double truncation() const { return truncation_; }

 private:
  // Value and derivatives with respect to A, B and the angle of the series for U = u / (A - 1).
  struct Sum {
    double value = 0, of_A = 0, of_B = 0, of_angle = 0;
  };
  Sum sum_at(double A, double B, double angle) const;
  Value off_axis(double along, double rho, double angle) const;
  void solve(int points, int angles);

  std::vector<Hole> holes_;
  double b_ = 0;  // half the distance between the punctures
  std::array<double, 3> middle_{};
  std::array<std::array<double, 3>, 3> axis_{};  // axes of the frame with the punctures at x = b and -b
  int points_ = 0, iterations_ = 0;
  double truncation_ = 0;
  std::vector<int> modes_;            // m >= 0: cos(m angle); m < 0: sin(-m angle)
  std::vector<double> coefficients_;  // [A][B][mode]
};

}  // namespace meander::ccz4
