// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How far a state is from the exact solution of its scenario.

#include <vector>

#include "simulation/scenario.hpp"

namespace meander::simulation {

// "error_l2" and "error_linf": of all unknowns together, the root of the mean over the domain's volume of the
// sum of squares, and the largest magnitude, of what differs from exact.boundary() at view.t, which must hold
// everywhere. The same bits for any number of threads and ranks. Collective.
std::vector<Measure> deviation(const StateView& view, const Scenario& exact);

}  // namespace meander::simulation
