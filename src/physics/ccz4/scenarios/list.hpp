// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The scenarios of the CCZ4 equations.

#include "simulation/scenario.hpp"

namespace meander::ccz4 {

std::vector<simulation::ScenarioEntry> scenario_list();

}  // namespace meander::ccz4
