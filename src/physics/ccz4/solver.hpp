// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The CCZ4 solver as a solvers::Solver. It has no step data.

#include <memory>
#include <string>
#include <vector>

#include "physics/ccz4/parameters.hpp"
#include "solvers/solver.hpp"

namespace meander::ccz4 {

// "g_xx", ..., "At_xx", ..., "theta", "G_x", ..., "lapse", "shift_x", ..., "b_x", "A_x", "B_xy" (d_x beta^y),
// "D_xyz", "K", "phi", "P_x", "K0".
std::vector<std::string> unknown_names();

// The unknowns, then det_g (of the conformal metric), trace_A, Z_x, Z_y, Z_z (Z_i), Z (its length), chi
// (phi^2), psi (phi^(-1/2)), shift (its length sqrt(g_ij beta^i beta^j)) and A2 (A~_ij A~^ij). Units are
// those of the scenario: all strings are empty.
std::vector<Derived> derived_quantities();

// Three dimensions; N = 59 unknowns in the order of unknowns.hpp, with lapse and phi themselves, not their
// logarithms.
// - Scheme::rusanov: first order, h = 1, one stage.
// - Scheme::fourth_order: h = 3, four stages, two stage blocks.
std::unique_ptr<Solver> make_solver(const Parameters& parameters);

// Between steps: Parameters::damps_with_lapse of the steps that follow. `solver`: of make_solver().
void set_damping(Solver& solver, bool with_lapse);

}  // namespace meander::ccz4
