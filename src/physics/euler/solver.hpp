// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The Solver of the Euler equations. step_data() is a Gravity, none by default.

#include <memory>
#include <string>
#include <vector>

#include "physics/euler/parameters.hpp"
#include "solvers/scheme_words.hpp"
#include "solvers/solver.hpp"

namespace meander::euler {

// "density", "momentum_x", ..., "energy"; with dual energy also "entropy_density".
std::vector<std::string> unknown_names(int dim, bool dual_energy);

// The unknowns, then velocity_x.., pressure, sound_speed, mach, internal_energy and temperature (both per
// mass), entropy (p / rho^gamma). The functions take a Parameters. Units are those of the scenario: all
// strings are empty.
std::vector<Derived> derived_quantities(int dim, bool dual_energy);

// dim: 2 or 3. N = dim + 2 unknowns: density, momentum (dim), total energy density; with parameters.dual_energy one
// more: entropy density. Throws std::logic_error for a scheme that is not in the list (solvers/scheme.hpp).
std::unique_ptr<Solver> make_solver(int dim, const Parameters& parameters, const SchemeWords& scheme = {});

}  // namespace meander::euler
