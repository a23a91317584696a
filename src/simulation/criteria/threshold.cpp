// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>

#include "simulation/criteria/quantity_on_patch.hpp"

namespace meander::simulation {
namespace {

double largest_value(const QuantityOnPatch& quantity) {
  double largest = -std::numeric_limits<double>::infinity();
  quantity.for_interior_rows([&](const double* row) {
    for (int x = 0; x < quantity.layout().p; ++x) largest = std::max(largest, row[x]);
  });
  return largest;
}

class Threshold final : public QuantityCriterion {
 public:
  void describe(io::KeyTable& keys, const Config& config) override {
    describe_variable(keys, config);
    keys.number("refine", refine_, "the variable's", "Refine a leaf where the variable exceeds this.")
        .required = true;
    keys.number("coarsen", coarsen_, "the variable's",
                "Coarsen a leaf where the variable is below this everywhere.")
        .default_text = "refine - abs(refine) / 2";
    RefinementCriterion::describe(keys, config);
  }

  void set_up(const io::KeyTable& keys, const Config& config) override {
    if (!keys.was_given("coarsen")) coarsen_ = refine_ - 0.5 * std::abs(refine_);
    find_variable(keys, config);
    check_thresholds(keys, refine_, coarsen_);
    RefinementCriterion::set_up(keys, config);
  }

  Flag flag(const LeafView& leaf, const StateView&) const override {
    return flag_by(largest_value(on(leaf)));
  }
  std::optional<solvers::LeafMeasure> measure() const override {
    return solvers::LeafMeasure{solvers::LeafMeasure::Kind::largest_value, quantity()};
  }
  Flag flag_by(double value) const override {
    if (value >= refine_) return Flag::refine;
    return value < coarsen_ ? Flag::coarsen : Flag::keep;
  }

 private:
  double refine_ = 0, coarsen_ = 0;
};

}  // namespace

CriterionEntry threshold_criterion() {
  return {"threshold", "Where a variable exceeds a value.", [] { return std::make_unique<Threshold>(); }};
}

}  // namespace meander::simulation
