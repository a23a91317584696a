// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `meander check`: an estimate of the cost of a run from its initial mesh and a few steps.

#include <string>
#include <vector>

#include "parallel/communicator.hpp"
#include "simulation/config/config.hpp"

namespace meander::simulation {

// Builds the initial mesh with its data and makes steps for about `seconds` (at least one step), with
// `threads` threads on each rank. Writes no file. Returns lines for a terminal: leaves of each level, memory
// of host and devices, time of a step and of the whole run (of the slowest rank), files and their sizes.
// Throws the exceptions of make_simulation() and Simulation::advance(). Collective.
std::vector<std::string> estimate_run(const Config& config, int threads,
                                      const parallel::Communicator& communicator, double seconds = 1);

// Of an input with local time steps: how many times fewer updates its first step takes than global ones would. Collective.
double gain_of_local_steps(const Config& config, int threads, const parallel::Communicator& communicator);

}  // namespace meander::simulation
