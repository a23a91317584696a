// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Integrals of the unknowns over the domain, with its mirror images (mirrors.hpp).

#include <vector>

#include "simulation/scenario.hpp"

namespace meander::simulation {

// The sum of each unknown over the interior of each leaf of this rank, on the device where patches live there:
// [leaf][unknown].
std::vector<double> sums_over_leaves(const StateView& view);

// The integral of each unknown. The sums over leaves are exact, so that the result has the same bits for any
// number of threads and ranks. Collective.
std::vector<double> totals(const StateView& view);

}  // namespace meander::simulation
