// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Names, units and formulas of the derived quantities of a gas.

#include <string>
#include <vector>

#include "physics/euler/names.hpp"
#include "solvers/solver.hpp"

namespace meander::euler {

// "density", "momentum_x", ..., "energy"; with dual energy also "entropy_density".
std::vector<std::string> unknown_names(int dim, bool dual_energy);

// The unknowns, then velocity_x.., pressure, sound_speed, mach, internal_energy and temperature (both per
// mass), entropy (p / rho^gamma). The functions take a Parameters. Units are those of the scenario: all
// strings are empty.
std::vector<Derived> derived_quantities(int dim, bool dual_energy);

}  // namespace meander::euler
