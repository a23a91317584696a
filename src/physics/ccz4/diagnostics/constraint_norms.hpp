// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Norms of the constraints in history.csv.

#include "simulation/diagnostic.hpp"

namespace meander::ccz4 {

// "hamiltonian_l2", "hamiltonian_linf", and the same for "momentum" (all components), "connection",
// "ordering_lapse", "ordering_shift", "ordering_metric", "ordering_phi" (of each the largest component): root
// mean square over the volume and largest magnitude of each constraint, without the volumes whose centres lie
// within exclude-radius of a tracked point; then "lapse_min", of all volumes; then, where leaves may have
// several levels, the constraints of each level, "hamiltonian_l2_level_2", 0 where it has no volumes. The
// same bits for any number of threads and ranks.
simulation::DiagnosticEntry constraint_norms_entry();

}  // namespace meander::ccz4
