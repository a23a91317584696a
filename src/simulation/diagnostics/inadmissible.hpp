// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Messages about inadmissible states.

#include <cstdint>
#include <string>

#include "simulation/scenario.hpp"

namespace meander::simulation {

// Position and state of the first inadmissible volume of patch `leaf`.
std::string describe_inadmissible(const StateView& view, const solvers::Solver& solver, std::size_t leaf,
                                  int step);

// Throws StateFailure on all ranks about the first inadmissible leaf along the curve, which must exist.
// `leaf`: this rank's first inadmissible leaf, or -1. remedy: Module::remedy. Collective.
[[noreturn]] void throw_inadmissible(const StateView& view, const solvers::Solver& solver, std::int64_t leaf,
                                     int step, const std::string& remedy);

}  // namespace meander::simulation
