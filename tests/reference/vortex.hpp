// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Isentropic vortex advected by a uniform flow in a periodic box: an exact solution of the Euler equations (Yee, Sandham &
// Djomehri 1999, J. Comput. Phys. 150, 199). Far from it, density and pressure are 1.

#include <cmath>

#include "physics/euler/scenarios/gas_state.hpp"

namespace meander::reference {

struct Vortex {
  double gamma = 1.4;
  double radius = 0.1;          // R
  double swirl = 0.5;           // maximum swirl speed, at r = R
  double velocity[2] = {1, 1};  // of the uniform flow
  double centre[2] = {0, 0};    // at t = 0
  double edge = 2;              // of the box

  // The state at (x, y) and time t, from the nearest periodic image. The swirl speed is
  // u(r) = swirl (r/R) exp((1 - r^2/R^2) / 2). The balance dp/dr = rho u^2 / r with constant entropy gives
  // T = 1 - (gamma - 1) / gamma * swirl^2 / 2 * exp(1 - r^2/R^2) for T = p / rho.
  euler::GasState at(double x, double y, double t) const {
    double d[2] = {x - centre[0] - velocity[0] * t, y - centre[1] - velocity[1] * t};
    for (double& one : d) one -= edge * std::round(one / edge);
    const double bell = std::exp(0.5 * (1 - (d[0] * d[0] + d[1] * d[1]) / (radius * radius)));
    const double temperature = 1 - (gamma - 1) / gamma * 0.5 * swirl * swirl * bell * bell;
    euler::GasState state;
    state.density = std::pow(temperature, 1 / (gamma - 1));
    state.pressure = state.density * temperature;
    state.velocity[0] = velocity[0] - swirl * bell * d[1] / radius;
    state.velocity[1] = velocity[1] + swirl * bell * d[0] / radius;
    return state;
  }

  // Mean of the unknowns over the square of width dx about (x, y), by three Gauss points along each axis: sixth order.
  void mean(double x, double y, double dx, double t, double* q) const {
    const double node = 0.5 * std::sqrt(0.6);
    const double nodes[3] = {-node, 0, node};
    const double weights[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    for (int u = 0; u < euler::euler_unknowns(2); ++u) q[u] = 0;
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 3; ++i)
        add_unknowns(at(x + nodes[i] * dx, y + nodes[j] * dx, t), 2, gamma, weights[i] * weights[j], q);
    }
  }
};

}  // namespace meander::reference
