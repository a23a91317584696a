// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `meander explain`: what a key of the input file means, from the declaration that reads it, for a terminal.

#include <string>
#include <vector>

#include "simulation/module.hpp"

namespace meander::simulation {

// `name`: "table.key", a key alone (every table that has it answers), a table ("mesh", "[mesh]"), a choice of
// one
// ("vortex", "ball"), or nothing: all tables. Throws InputError for any other name, with the nearest one.
std::string explain(const std::string& name, const std::vector<ScenarioEntry>& known_scenarios = scenarios());

// Every "table.key", one a line, for completion.
std::string explained_keys(const std::vector<ScenarioEntry>& known_scenarios = scenarios());

// "patch-size = 9": a line of an input file that reads this key without complaint about type, range or
// choice.
std::string example_line(const io::Field& field);

}  // namespace meander::simulation
