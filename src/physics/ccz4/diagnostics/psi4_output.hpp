// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Modes of Psi4 (psi4_modes.hpp) in the files of a run: those with l = 2 as columns "psi4_r40_2_-2_re",
// "..._im", ... of history.csv, and all up to psi4-l-max every psi4-every in files
// waves/mp_psi4_l2_m-2_r40.00.asc, which kuibit and other readers of the Einstein Toolkit's files take. Their
// Psi4 has the other sign: +d^2/dt^2 (h_plus - i h_cross).

#include "simulation/diagnostic.hpp"

namespace meander::ccz4 {

simulation::DiagnosticEntry psi4_output_entry();

}  // namespace meander::ccz4
