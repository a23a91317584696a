// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the first refinement criterion of an input says of one leaf.

#include "simulation/config/config.hpp"
#include "simulation/refinement_criterion.hpp"

namespace meander::simulation {

inline Flag flag_of_leaf(const Config& config, const LeafView& leaf, double t = 0) {
  ThreadTeam team(1);
  const parallel::Communicator alone;
  const StateView state{.communicator = alone,
                        .layout = leaf.layout,
                        .patches = std::span<const solvers::PatchTask>(),
                        .levels = {},
                        .t = t,
                        .team = team,
                        .level_dx = {}};
  return config.refinement.at(0)->flag(leaf, state);
}

}  // namespace meander::simulation
