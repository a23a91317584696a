// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a run of CCZ4 says of itself in history.csv.

#include <vector>

#include "simulation/scenario.hpp"

namespace meander::simulation {

// Hamiltonian and momentum constraint (all components) as root mean square over the domain's volume and as
// largest magnitude, and the least lapse. The same bits for any number of threads and ranks. Collective.
std::vector<Measure> ccz4_measures(const StateView& view);

}  // namespace meander::simulation
