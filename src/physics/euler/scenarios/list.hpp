// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The scenarios of the Euler equations.

#include "simulation/scenario.hpp"

namespace meander::euler {

std::vector<simulation::ScenarioEntry> scenario_list();

}  // namespace meander::euler
