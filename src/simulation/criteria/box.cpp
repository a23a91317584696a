// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/config/check_config.hpp"
#include "simulation/config/config.hpp"
#include "simulation/refinement_criterion.hpp"

namespace meander::simulation {
namespace {

class Box final : public RefinementCriterion {
 public:
  void describe(io::KeyTable& keys, const Config& config) override {
    keys.numbers("lower", lower_, "length", "Lower corner of the box.").required = true;
    keys.numbers("upper", upper_, "length", "Upper corner of the box.").required = true;
    RefinementCriterion::describe(keys, config);
  }

  void set_up(const io::KeyTable& keys, const Config& config) override {
    check_length(keys, "lower", lower_, config.domain.dimensions);
    check_length(keys, "upper", upper_, config.domain.dimensions);
    check_corners(keys, lower_, upper_);
    RefinementCriterion::set_up(keys, config);
  }

  bool reads_state() const override { return false; }
  Flag flag(const LeafView& leaf, const StateView&) const override {
    const double width = leaf.width();
    for (std::size_t a = 0; a < lower_.size(); ++a) {
      if (leaf.patch.lower[a] >= upper_[a] || leaf.patch.lower[a] + width <= lower_[a]) return Flag::coarsen;
    }
    return Flag::refine;
  }

 private:
  std::vector<double> lower_, upper_;
};

}  // namespace

CriterionEntry box_criterion() {
  return {"box", "Inside a fixed box.", [] { return std::make_unique<Box>(); }};
}

}  // namespace meander::simulation
