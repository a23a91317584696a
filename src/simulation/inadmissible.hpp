// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What is said of a state that the equations do not accept.

#include <cstdint>
#include <string>

#include "simulation/scenario.hpp"

namespace meander::simulation {

// Where and what the first inadmissible volume of patch `leaf` is.
std::string describe_inadmissible(const StateView& view, const solvers::Solver& solver, std::size_t leaf,
                                  int step);

// Throws StateFailure on all ranks if any rank has an inadmissible leaf: about the first along the curve.
// `leaf`: this rank's first, or -1. Collective.
void check_admissible(const StateView& view, const solvers::Solver& solver, std::int64_t leaf, int step);

}  // namespace meander::simulation
