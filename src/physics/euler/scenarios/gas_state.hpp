// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The state of a gas in primitive variables, and its conversion to unknowns: density, momentum (dim), total
// energy density.

namespace meander::euler {

struct GasState {
  double density = 1;
  double velocity[3] = {0, 0, 0};
  double pressure = 1;
};

// Number of unknowns of the Euler equations.
constexpr int euler_unknowns(int dim) {
  return dim + 2;
}

// Adds weight * unknowns of the state to q[0 .. dim + 1].
inline void add_unknowns(const GasState& state, int dim, double gamma, double weight, double* q) {
  double speed2 = 0;
  for (int d = 0; d < dim; ++d) speed2 += state.velocity[d] * state.velocity[d];
  q[0] += weight * state.density;
  for (int d = 0; d < dim; ++d) q[1 + d] += weight * (state.density * state.velocity[d]);
  q[dim + 1] += weight * (state.pressure / (gamma - 1) + 0.5 * state.density * speed2);
}

inline void set_unknowns(const GasState& state, int dim, double gamma, double* q) {
  for (int u = 0; u < euler_unknowns(dim); ++u) q[u] = 0;
  add_unknowns(state, dim, gamma, 1.0, q);
}

}  // namespace meander::euler
