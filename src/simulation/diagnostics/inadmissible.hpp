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

// Throws StateFailure on all ranks, about the first inadmissible leaf along the curve, of which there is one.
// `leaf`: this rank's first, or -1. Collective.
[[noreturn]] void throw_inadmissible(const StateView& view, const solvers::Solver& solver, std::int64_t leaf,
                                     int step);

}  // namespace meander::simulation
