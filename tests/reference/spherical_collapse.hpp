// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Turnaround of a shell of cold matter about a mass excess in an Einstein-de Sitter universe, in
// supercomoving variables (Martel & Shapiro 1998): x" = g(x), with constant mass inside the shell, starting
// at rest.

#include <cmath>
#include <numbers>

namespace meander::reference {

struct Turnaround {
  double scale_factor = 0;  // at which the shell's physical velocity vanishes
  double radius = 0;        // comoving radius at that time
};

// The shell starts at rest at comoving radius q and scale factor a_i, with the excess inside it (2D: per unit
// length).
inline Turnaround turnaround_of_shell(int dim, double excess, double a_i, double q) {
  const double ball = dim == 3 ? 4 * std::numbers::pi / 3 : std::numbers::pi;
  const double mass = ball * std::pow(q, dim) + excess;
  const auto g = [&](double x, double tau) {
    const double strength = (dim == 3 ? 1.5 : 3.0) / (std::numbers::pi * tau * tau);
    return -strength * (mass - ball * std::pow(x, dim)) / std::pow(x, dim - 1);
  };
  double x = q, v = 0, tau = -1 / std::sqrt(a_i), expansion = v - 2 * x / tau;
  for (;;) {
    const double h = -tau * 1e-3;
    const double k1v = g(x, tau), k1x = v;
    const double k2v = g(x + 0.5 * h * k1x, tau + 0.5 * h), k2x = v + 0.5 * h * k1v;
    const double k3v = g(x + 0.5 * h * k2x, tau + 0.5 * h), k3x = v + 0.5 * h * k2v;
    const double k4v = g(x + h * k3x, tau + h), k4x = v + h * k3v;
    const double next = x + h / 6 * (k1x + 2 * k2x + 2 * k3x + k4x);
    v += h / 6 * (k1v + 2 * k2v + 2 * k3v + k4v);
    const double now = v - 2 * next / (tau + h);
    if (now <= 0) {
      const double f = expansion / (expansion - now), t = tau + f * h;
      return {1 / (t * t), x + f * (next - x)};
    }
    x = next;
    tau += h;
    expansion = now;
  }
}

}  // namespace meander::reference
