// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The CCZ4 solver as a solvers::Solver. It has no step data.

#include <memory>

#include "physics/ccz4/parameters.hpp"
#include "solvers/solver.hpp"

namespace meander::ccz4 {

// Three dimensions; N = 59 unknowns in the order of unknowns.hpp, with lapse and phi themselves, not their
// logarithms.
// - Scheme::rusanov: first order, h = 1, one stage.
// - Scheme::fourth_order: h = 3, four stages, two stage blocks.
std::unique_ptr<Solver> make_solver(const Parameters& parameters);

}  // namespace meander::ccz4
