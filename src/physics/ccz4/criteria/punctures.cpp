// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/module.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/join.hpp"
#include "simulation/config/config.hpp"
#include "simulation/criteria/regions.hpp"

namespace meander::ccz4 {
namespace {

using namespace simulation;

// Nested balls about every tracked puncture, one for each level.
class Punctures final : public RefinementCriterion {
 public:
  void describe(io::KeyTable& keys, const Config&) override {
    keys.numbers("radii", radii_, "length",
                 "Radii about each puncture, in non-increasing order: within the first, leaves have at least "
                 "level min-level + 1, within the second min-level + 2, and so on. Radii for levels beyond "
                 "max-level have no effect.",
                 io::greater_than(0))
        .required = true;
    describe_where(keys);
  }

  void set_up(const io::KeyTable& keys, const Config& config) override {
    if (config.scenario->tracked_points().empty())
      keys.reject("kind", fmt::format("scenario '{}' has no punctures to follow", config.scenario_name));
    if (radii_.empty()) keys.reject("radii", "must have a radius for each level that is to be refined to");
    if (!std::is_sorted(radii_.rbegin(), radii_.rend())) {
      keys.reject("radii", fmt::format("must not grow from level to level, but are {}", join(radii_, ", ")));
    }
    min_level_ = config.mesh.min_level;
    const int levels = config.mesh.max_level - min_level_;
    finest_ = min_level_ + std::min(static_cast<int>(radii_.size()), levels);
    set_up_where(keys, config);
  }

  bool reads_state() const override { return false; }
  Flag flag(const LeafView& leaf, const StateView& state) const override {
    const int wanted = wanted_level(leaf, state);
    return wanted > leaf.level ? Flag::refine : wanted < leaf.level ? Flag::coarsen : Flag::keep;
  }

  int wanted_level(const LeafView& leaf, const StateView& state) const override {
    int wanted = min_level_;
    for (int level = min_level_ + 1; level <= finest_; ++level) {
      const double radius = radii_[static_cast<std::size_t>(level - min_level_ - 1)];
      const bool inside =
          std::any_of(state.tracked_points.begin(), state.tracked_points.end(),
                      [&](const Point<3>& puncture) { return distances(leaf, puncture).nearest < radius; });
      wanted = std::max(wanted, limited(inside ? Flag::refine : Flag::coarsen, leaf.level, level));
    }
    return wanted;
  }

 private:
  std::vector<double> radii_;
  int min_level_ = 0;
};

}  // namespace

CriterionEntry puncture_criterion() {
  return {"punctures", "Inside nested balls about each puncture of the scenario, which move with it.",
          [] { return std::make_unique<Punctures>(); }};
}

}  // namespace meander::ccz4
