// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The names of a run's quantities in refinement criteria and plot files.

#include <string>
#include <vector>

#include "solvers/solver.hpp"

namespace meander::simulation {

// The solver's unknowns, then its derived quantities.
std::vector<std::string> scalar_names(const solvers::Solver& solver);

// All fields of one number: scalars, then the quantities that a solver computes patch by patch, and what leaves carry.
std::vector<std::string> number_names(const solvers::Solver& solver);

// The stems of names with all components: "velocity" for velocity_x, velocity_y, ... Stems that are the name
// of a scalar, such as the length of the vector, are left out.
std::vector<std::string> vector_names(const solvers::Solver& solver);

// All possible fields of a plot file: scalars, the solver's patch quantities, vectors, and "level" and
// "curve_index" of the mesh.
std::vector<std::string> plot_names(const solvers::Solver& solver);

}  // namespace meander::simulation
