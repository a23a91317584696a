// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// diagnostics.energies: columns "kinetic_energy" and "thermal_energy", integrals over the domain. Bitwise
// identical for any number of threads and ranks.

#include "simulation/diagnostic.hpp"

namespace meander::euler {

simulation::DiagnosticEntry energies_entry();

}  // namespace meander::euler
