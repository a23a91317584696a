// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `meander explain`: the meaning of a key of the input file, from its declaration, for a terminal.

#include <string>
#include <vector>

#include "simulation/module.hpp"

namespace meander::simulation {

// `name`: "table.key", a key alone (explained for every table that has it), a table ("mesh", "[mesh]"), a
// choice ("vortex", "ball"), or "" for all tables. Throws InputError for any other name, with the nearest
// one.
std::string explain(const std::string& name, const std::vector<ScenarioEntry>& known_scenarios = scenarios());

// Every "table.key", one per line, for completion.
std::string explained_keys(const std::vector<ScenarioEntry>& known_scenarios = scenarios());

// "patch-size = 9": a line of an input file with a valid value of the key.
std::string example_line(const io::Field& field);

}  // namespace meander::simulation
