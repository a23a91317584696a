// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `meander check`: what a run would be and cost, found by starting it: its first mesh, and a few of its
// steps.

#include <string>
#include <vector>

#include "parallel/communicator.hpp"
#include "simulation/config/config.hpp"

namespace meander::simulation {

// Builds the initial mesh with its data and does steps for about `seconds` (one at least), on `threads`
// threads a rank. Writes no file. Lines for a terminal: leaves of each level, memory of host and devices,
// time of a step and of the whole run, files with their sizes; on all ranks alike but for the seconds, which
// are the slowest rank's. Throws what make_simulation() and Simulation::advance() throw. Collective.
std::vector<std::string> estimate_run(const Config& config, int threads,
                                      const parallel::Communicator& communicator, double seconds = 1);

}  // namespace meander::simulation
