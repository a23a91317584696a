// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// All that a program with an equation of its own includes: the registry, a base for its law and one for its
// scenario, and the whole program behind one call. apps/tutorial-advection shows it.

#include "simulation/own_equation.hpp"
#include "simulation/scenario_tools/exact_scenario.hpp"
#include "solvers/conservation_law.hpp"

namespace meander {

// What main() of the program meander does with its arguments, from MPI's start to its end; returns the exit
// code. Equations and scenarios are registered before. Called once.
int program(int argc, char** argv);

}  // namespace meander
