// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The refinement criteria for any equation. Each is a class in a file of this folder and an entry of this list.
#include "simulation/refinement_criterion.hpp"

namespace meander::simulation {

CriterionEntry jump_criterion(), threshold_criterion(), ball_criterion(), shell_criterion(), box_criterion(),
    loehner_criterion(), formula_criterion();

std::vector<CriterionEntry> general_criteria() {
  return {jump_criterion(), threshold_criterion(), ball_criterion(),   shell_criterion(),
          box_criterion(),  loehner_criterion(),   formula_criterion()};
}

}  // namespace meander::simulation
