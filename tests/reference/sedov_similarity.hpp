// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The similarity solution of a point explosion in cold uniform gas (Sedov 1959, Similarity and Dimensional
// Methods in Mechanics, ch. 4): R(t) = (E t^2 / (alpha rho))^(1 / (d + 2)).

#include <array>
#include <cmath>
#include <numbers>

namespace meander::reference {

class SedovSimilarity {
 public:
  SedovSimilarity(int dim, double gamma) : dim_(dim), gamma_(gamma) { integrate(); }

  // The energy integral: E = alpha rho R^(d+2) / t^2.
  double alpha() const { return alpha_; }
  // Mass inside the shock in units of rho times the volume swept; exactly 1.
  double mass() const { return mass_; }

  double shock_radius(double energy, double density, double t) const {
    return std::pow(energy * t * t / (alpha_ * density), 1.0 / (dim_ + 2));
  }

 private:
  // Density G, velocity U and pressure P in units of rho, R' and rho R'^2 as functions of lambda = r / R.
  using State = std::array<double, 3>;

  // With R ~ t^(2/(d+2)), R R" / R'^2 = -d/2 and the Euler equations become
  //   (U - l) G' + G U' = -(d-1) G U / l,  (U - l) U' + P'/G = d U / 2,  (U - l) (P'/P - gamma G'/G) = d.
  State slope(double l, const State& s) const {
    const double G = s[0], U = s[1], P = s[2], w = U - l;
    // G' = -(G U' + (d-1) G U / l) / w and P' = P (d / w + gamma G'/G), substituted in the second equation.
    const double c2 = gamma_ * P / G;
    const double source = 0.5 * dim_ * U - P / G * dim_ / w + c2 * (dim_ - 1) * U / (l * w);
    const double dU = source / (w - c2 / w);
    const double dG = -(G * dU + (dim_ - 1) * G * U / l) / w;
    return {dG, dU, P * (dim_ / w + gamma_ * dG / G)};
  }

  void integrate() {
    State s = {(gamma_ + 1) / (gamma_ - 1), 2 / (gamma_ + 1), 2 / (gamma_ + 1)};
    double energy = 0, mass = 0, l = 1;
    const auto moments = [&](double x, const State& q) {
      const double shell = std::pow(x, dim_ - 1);
      return std::array<double, 2>{shell * (0.5 * q[0] * q[1] * q[1] + q[2] / (gamma_ - 1)), shell * q[0]};
    };
    // Inwards in equal steps of log lambda, at fourth order; the remaining centre contains only pressure.
    constexpr int steps = 20000;
    const double shrink = std::exp(std::log(1e-3) / steps);
    for (int i = 0; i < steps; ++i) {
      const double h = l * (shrink - 1);
      const auto along = [&](const State& k, double f) {
        return State{s[0] + f * h * k[0], s[1] + f * h * k[1], s[2] + f * h * k[2]};
      };
      const State k1 = slope(l, s), k2 = slope(l + 0.5 * h, along(k1, 0.5)),
                  k3 = slope(l + 0.5 * h, along(k2, 0.5)), k4 = slope(l + h, along(k3, 1.0));
      const State before = s;
      for (std::size_t q = 0; q < 3; ++q) s[q] += h / 6 * (k1[q] + 2 * k2[q] + 2 * k3[q] + k4[q]);
      // Simpson's rule, with the midpoint from the cubic through both ends.
      const State after = slope(l + h, s);
      State half{};
      for (std::size_t q = 0; q < 3; ++q) half[q] = 0.5 * (before[q] + s[q]) + h / 8 * (k1[q] - after[q]);
      const auto first = moments(l, before), middle = moments(l + 0.5 * h, half), last = moments(l + h, s);
      l += h;
      energy -= h / 6 * (first[0] + 4 * middle[0] + last[0]);
      mass -= h / 6 * (first[1] + 4 * middle[1] + last[1]);
    }
    energy += s[2] / (gamma_ - 1) * std::pow(l, dim_) / dim_;
    const double sphere = dim_ == 3 ? 4 * std::numbers::pi : 2 * std::numbers::pi;
    const double speed = 2.0 / (dim_ + 2);  // R' t / R
    alpha_ = sphere * speed * speed * energy;
    mass_ = mass * dim_;
  }

  int dim_;
  double gamma_, alpha_ = 0, mass_ = 0;
};

}  // namespace meander::reference
