// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The scenarios for any equation. Each is a class in a file of this folder and an entry of this list.
#include "simulation/scenario.hpp"

namespace meander::simulation {

std::unique_ptr<Scenario> make_formulas();
std::unique_ptr<Scenario> make_from_file();

std::vector<ScenarioEntry> general_scenarios() {
  return {{"formulas",
           "a state by formulas of position and time in the input file, for any equation",
           {2, 3},
           make_formulas},
          {"from-file",
           "a state from a plot file, a checkpoint or a uniform array, for any equation and mesh",
           {2, 3},
           make_from_file}};
}

}  // namespace meander::simulation
