// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The reference of the input file, generated from the declarations that read it.

#include <string>
#include <vector>

#include "simulation/module.hpp"

namespace meander::simulation {

// docs/input.md, whole.
std::string input_reference(const std::vector<ScenarioEntry>& known_scenarios = scenarios());

// `meander scenarios`: names, dimensions, parameters with unit, default, allowed values and meaning, for a
// terminal.
std::string scenario_list(const std::vector<ScenarioEntry>& known_scenarios = scenarios());

}  // namespace meander::simulation
