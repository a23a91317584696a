// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The Euler solver behind the Solver interface. step_data() is a SphericalGravity.

#include <memory>

#include "physics/euler/parameters.hpp"
#include "solvers/solver.hpp"

namespace meander::euler {

// dim 2 or 3; N = dim + 2 unknowns: density, momentum (dim), total energy density.
std::unique_ptr<Solver> make_solver(int dim, const Parameters& parameters);

}  // namespace meander::euler
