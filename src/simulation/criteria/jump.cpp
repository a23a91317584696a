// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "simulation/criteria/quantity_on_patch.hpp"

namespace meander::simulation {
namespace {

// |a - b| / max(|a|, |b|); 0 if both are 0.
double relative_jump(double a, double b) {
  const double scale = std::max(std::abs(a), std::abs(b));
  return std::abs(a - b) / (scale > 0 ? scale : 1.0);
}

double largest_jump(const QuantityOnPatch& quantity) {
  const auto& layout = quantity.layout();
  double jump = 0;
  quantity.for_interior_rows([&](const double* row) {
    for (int a = 0; a < layout.dim; ++a) {
      // Jumps to both neighbours: inner jumps are computed twice, which costs less than a branch.
      const std::ptrdiff_t stride = layout.stride(a);
      for (int x = 0; x < layout.p; ++x) {
        jump = std::max(
            jump, std::max(relative_jump(row[x], row[x + stride]), relative_jump(row[x], row[x - stride])));
      }
    }
  });
  return jump;
}

class Jump final : public QuantityCriterion {
 public:
  void describe(io::KeyTable& keys, const Config& config) override {
    describe_variable(keys, config);
    keys.number("refine", refine_, "", "Refine a leaf where the relative jump exceeds this.",
                io::greater_than(0))
        .required = true;
    keys.number("coarsen", coarsen_, "", "Coarsen a leaf where all its relative jumps are below this.",
                io::at_least(0))
        .default_text = "a quarter of refine";
    RefinementCriterion::describe(keys, config);
  }

  void set_up(const io::KeyTable& keys, const Config& config) override {
    if (!keys.was_given("coarsen")) coarsen_ = 0.25 * refine_;
    find_variable(keys, config);
    check_thresholds(keys, refine_, coarsen_);
    RefinementCriterion::set_up(keys, config);
  }

  Flag flag(const LeafView& leaf, const StateView&) const override { return flag_by(largest_jump(on(leaf))); }
  std::optional<solvers::LeafMeasure> measure() const override {
    return solvers::LeafMeasure{solvers::LeafMeasure::Kind::largest_jump, quantity()};
  }
  Flag flag_by(double jump) const override {
    if (jump >= refine_) return Flag::refine;
    return jump < coarsen_ ? Flag::coarsen : Flag::keep;
  }

 private:
  double refine_ = 0, coarsen_ = 0;
};

}  // namespace

CriterionEntry jump_criterion() {
  return {"jump", "Where a variable jumps between neighbouring volumes by more than a fraction of its value.",
          [] { return std::make_unique<Jump>(); }};
}

}  // namespace meander::simulation
