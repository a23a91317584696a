// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Norms of the constraints in history.csv.

#include "simulation/diagnostic.hpp"

namespace meander::ccz4 {

// Columns, for each constraint its root mean square over the volume (_l2) and its largest magnitude (_linf):
// - "hamiltonian_l2", "hamiltonian_linf", "momentum_..." (all components), "connection_...",
// "ordering_lapse_...", "ordering_shift_...", "ordering_metric_...", "ordering_phi_..." (the largest
// component of each). They exclude volumes whose centres lie within exclude-radius of a tracked point.
// - "lapse_min", over all volumes.
// - if leaves may have several levels, the constraints of each level, "hamiltonian_l2_level_2"; 0 for a level
// without volumes.
// Bitwise identical for any number of threads and ranks.
simulation::DiagnosticEntry constraint_norms_entry();

}  // namespace meander::ccz4
