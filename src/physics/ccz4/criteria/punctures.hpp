// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// kind = "punctures": refinement around moving punctures.

#include "simulation/refinement_criterion.hpp"

namespace meander::ccz4 {

simulation::CriterionEntry puncture_criterion();

}  // namespace meander::ccz4
