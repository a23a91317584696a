// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Exact solution of the Riemann problem of an ideal gas (Toro 2009, Riemann Solvers and Numerical Methods for
// Fluid Dynamics, ch. 4), for states between which no vacuum forms.

#include <algorithm>
#include <cmath>
#include <vector>

namespace meander::reference {

struct Gas1d {
  double density = 1, velocity = 0, pressure = 1;
};

class ExactRiemann {
 public:
  ExactRiemann(const Gas1d& left, const Gas1d& right, double gamma)
      : left_(left), right_(right), gamma_(gamma) {
    solve();
  }

  double star_pressure() const { return star_pressure_; }
  double star_velocity() const { return star_velocity_; }

  // The state on the ray x / t = s, with the diaphragm at x = 0.
  Gas1d at(double s) const {
    if (s <= star_velocity_) return left_of_contact(left_, s);
    Gas1d mirrored = left_of_contact({right_.density, -right_.velocity, right_.pressure}, -s, true);
    mirrored.velocity = -mirrored.velocity;
    return mirrored;
  }

  // Mean density over [lower, upper] at time t > 0, with the diaphragm at `origin`.
  double mean_density(double lower, double upper, double origin, double t) const {
    // The solution is smooth between the waves, where the midpoint rule is used.
    constexpr int samples = 64;
    double sum = 0;
    for (int i = 0; i < samples; ++i)
      sum += at((lower + (i + 0.5) / samples * (upper - lower) - origin) / t).density;
    return sum / samples;
  }

 private:
  double sound(const Gas1d& gas) const { return std::sqrt(gamma_ * gas.pressure / gas.density); }

  // Velocity change across the wave that leads from `gas` to pressure p (Toro, eq. 4.6 and 4.7).
  double wave(const Gas1d& gas, double p) const {
    if (p > gas.pressure) {
      const double a = 2 / ((gamma_ + 1) * gas.density), b = (gamma_ - 1) / (gamma_ + 1) * gas.pressure;
      return (p - gas.pressure) * std::sqrt(a / (p + b));
    }
    return 2 * sound(gas) / (gamma_ - 1) * (std::pow(p / gas.pressure, (gamma_ - 1) / (2 * gamma_)) - 1);
  }

  void solve() {
    const double du = right_.velocity - left_.velocity;
    const auto f = [&](double p) { return wave(left_, p) + wave(right_, p) + du; };
    // f increases with p: bisection in log p always converges.
    double low = std::log(std::min(left_.pressure, right_.pressure)) - 60, high = low + 1;
    while (f(std::exp(high)) < 0) high += 1;
    for (int i = 0; i < 200; ++i) {
      const double middle = 0.5 * (low + high);
      (f(std::exp(middle)) < 0 ? low : high) = middle;
    }
    star_pressure_ = std::exp(0.5 * (low + high));
    star_velocity_ = 0.5 * (left_.velocity + right_.velocity) +
                     0.5 * (wave(right_, star_pressure_) - wave(left_, star_pressure_));
  }

  Gas1d left_of_contact(const Gas1d& gas, double s, bool mirrored = false) const {
    const double u_star = mirrored ? -star_velocity_ : star_velocity_;
    const double ratio = star_pressure_ / gas.pressure, c = sound(gas), g = gamma_;
    if (ratio > 1) {
      const double speed = gas.velocity - c * std::sqrt((g + 1) / (2 * g) * ratio + (g - 1) / (2 * g));
      if (s < speed) return gas;
      const double k = (g - 1) / (g + 1);
      return {gas.density * (ratio + k) / (k * ratio + 1), u_star, star_pressure_};
    }
    const double c_star = c * std::pow(ratio, (g - 1) / (2 * g));
    if (s < gas.velocity - c) return gas;
    if (s > u_star - c_star) return {gas.density * std::pow(ratio, 1 / g), u_star, star_pressure_};
    const double fan = 2 / (g + 1) + (g - 1) / ((g + 1) * c) * (gas.velocity - s);
    return {gas.density * std::pow(fan, 2 / (g - 1)), 2 / (g + 1) * (c + 0.5 * (g - 1) * gas.velocity + s),
            gas.pressure * std::pow(fan, 2 * g / (g - 1))};
  }

  Gas1d left_, right_;
  double gamma_, star_pressure_ = 0, star_velocity_ = 0;
};

// Mean of |numeric - exact| of the density in equal volumes that fill [lower, upper].
inline double density_l1_error(const ExactRiemann& exact, const std::vector<double>& numeric, double lower,
                               double upper, double origin, double t) {
  const double dx = (upper - lower) / static_cast<double>(numeric.size());
  double sum = 0;
  for (std::size_t i = 0; i < numeric.size(); ++i) {
    const double x = lower + static_cast<double>(i) * dx;
    sum += std::abs(numeric[i] - exact.mean_density(x, x + dx, origin, t));
  }
  return sum / static_cast<double>(numeric.size());
}

// Order of accuracy from the errors on two meshes, the second finer by `ratio`.
inline double order_of(double coarse_error, double fine_error, double ratio) {
  return std::log(coarse_error / fine_error) / std::log(ratio);
}

}  // namespace meander::reference
