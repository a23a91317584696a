// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The names under which the quantities of a run are known to refinement criteria and plot files.

#include <string>
#include <vector>

#include "solvers/solver.hpp"

namespace meander::simulation {

// The solver's unknowns, then its derived quantities.
std::vector<std::string> scalar_names(const solvers::Solver& solver);

// The stems of names that have all components: "velocity" for velocity_x, velocity_y, ... A scalar of that
// name, as a vector's length, goes before it.
std::vector<std::string> vector_names(const solvers::Solver& solver);

// All a plot file can hold: scalars; the solver's patch quantities; vectors; and the mesh's own "level" and
// "curve_index".
std::vector<std::string> plot_names(const solvers::Solver& solver);

}  // namespace meander::simulation
