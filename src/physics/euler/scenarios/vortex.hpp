// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Isentropic vortex advected by a uniform flow: an exact solution of the Euler equations (Yee, Sandham &
// Djomehri 1999, J. Comput. Phys. 150, 199), with parameters for its radius, swirl speed and background.

#include <array>

#include "physics/euler/scenarios/gas_state.hpp"

namespace meander::euler {

struct Vortex {
  double gamma = 1.4;
  double radius = 0.1;               // R
  double swirl = 0.5;                // maximum swirl speed, at r = R
  double velocity[2] = {1, 1};       // of the uniform flow
  double density = 1, pressure = 1;  // far from the vortex
  double centre[2] = {0, 0};         // at t = 0
  double edge[2] = {1, 1};           // of the periodic box in x and y

  // Temperature p / rho at the centre. The vortex exists only if it is positive.
  double core_temperature() const;
  // The state at (x, y) and time t, from the nearest periodic image.
  GasState at(double x, double y, double t) const;
  // Mean of the unknowns over the square (in 3D the cube; the state is constant along z) of width dx about
  // (x, y).
  void mean(double x, double y, double dx, double t, int dim, double* q) const;
};

}  // namespace meander::euler
