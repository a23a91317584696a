// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/refinement_criterion.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simulation/config/config.hpp"

namespace meander::simulation {

void RefinementCriterion::describe(io::KeyTable& keys, const Config&) {
  keys.integer("level", level_, "", "Finest level that this criterion requires; 0: mesh.max-level.",
               io::at_least(0));
}

void RefinementCriterion::set_up(const io::KeyTable& keys, const Config& config) {
  const MeshConfig& mesh = config.mesh;
  if (level_ != 0 && (level_ < mesh.min_level || level_ > mesh.max_level)) {
    keys.reject("level",
                fmt::format("must be 0 or between {} (mesh.min-level) and {} (mesh.max-level), but is {}",
                            mesh.min_level, mesh.max_level, level_));
  }
  finest_ = level_ == 0 ? mesh.max_level : level_;
}

int RefinementCriterion::limited(Flag flag, int level, int finest) {
  const int step = flag == Flag::refine ? 1 : flag == Flag::coarsen ? -1 : 0;
  return std::min(level + step, finest);
}

int RefinementCriterion::wanted_level(const LeafView& leaf, const StateView& state) const {
  return limited(flag(leaf, state), leaf.level, finest_);
}

}  // namespace meander::simulation
