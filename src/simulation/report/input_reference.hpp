// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What users are told of the input file, made from the very declarations that read it.

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
