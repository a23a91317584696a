// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The error of a state relative to the exact solution of its scenario.

#include <vector>

#include "simulation/scenario.hpp"

namespace meander::simulation {

// "error_l2" and "error_linf" of the difference from exact.boundary() at view.t, over all unknowns: the root
// of the mean over the domain's volume of the sum of squares, and the largest magnitude. exact.boundary()
// must be defined everywhere; solver.complete() follows it. Bitwise identical for any number of threads and
// ranks. Collective.
std::vector<Measure> deviation(const StateView& view, const Scenario& exact, const solvers::Solver& solver);
// For equations whose scenarios give all unknowns.
std::vector<Measure> deviation(const StateView& view, const Scenario& exact);

}  // namespace meander::simulation
