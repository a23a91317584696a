// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a run of CCZ4 says of itself in history.csv.

#include <vector>

#include "simulation/scenario.hpp"

namespace meander::simulation {

// "hamiltonian_l2", "hamiltonian_linf", and the same for "momentum" (all components), "connection",
// "ordering_lapse", "ordering_shift", "ordering_metric", "ordering_phi" (of each the largest component): root
// mean square over the volume and largest magnitude of each constraint, without the volumes that are
// excluded; then "lapse_min", of all volumes; then, where leaves may have several levels, the constraints of
// each level, "hamiltonian_l2_level_2", 0 where it has no volumes. The same bits for any number of threads
// and ranks. Collective.
std::vector<Measure> ccz4_measures(const StateView& view, const Diagnosed& diagnosed);

}  // namespace meander::simulation
