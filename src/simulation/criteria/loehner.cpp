// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The error estimator of Loehner (1987, Comp. Meth. Appl. Mech. Eng. 61, 323) in the form of FLASH (Fryxell
// et al. 2000, ApJS 131, 273, section 3.1): second differences divided by first differences, which
// distinguishes fronts and ripples from slopes.
#include <algorithm>
#include <cmath>

#include "simulation/criteria/quantity_on_patch.hpp"

namespace meander::simulation {
namespace {

// The square of the largest estimate over the volumes whose second differences stay within the patch and the first layer of
// its halos,
//   E^2 = sum over axes (u+ - 2 u + u-)^2 / sum over axes (|u+ - u| + |u - u-| + filter (|u+| + 2 |u| +
//     |u-|))^2.
// Mixed differences are omitted: they would read corners of halos.
double largest_curvature(const QuantityOnPatch& quantity, double filter) {
  const solvers::PatchLayout& layout = quantity.layout();
  double largest = 0;
  quantity.for_interior_rows([&](const double* row) {
    for (int x = 0; x < layout.p; ++x) {
      const double u = row[x];
      double curvature = 0, slopes = 0;
      for (int a = 0; a < layout.dim; ++a) {
        const std::ptrdiff_t stride = layout.stride(a);
        const double above = row[x + stride], below = row[x - stride];
        const double second = above - 2 * u + below;
        const double first = std::abs(above - u) + std::abs(u - below) +
                             filter * (std::abs(above) + 2 * std::abs(u) + std::abs(below));
        curvature += second * second;
        slopes += first * first;
      }
      if (slopes > 0) largest = std::max(largest, curvature / slopes);
    }
  });
  return largest;
}

class Loehner final : public QuantityCriterion {
 public:
  void describe(io::KeyTable& keys, const Config& config) override {
    describe_variable(keys, config);
    keys.number("refine", refine_, "", "Refine a leaf where the estimate, between 0 and 1, exceeds this.",
                io::between(0, 1));
    keys.number("coarsen", coarsen_, "", "Coarsen a leaf where all its estimates are below this.",
                io::between(0, 1));
    keys.number("filter", filter_, "", "Weight of the values themselves: ripples below it are ignored.",
                io::at_least(0));
    RefinementCriterion::describe(keys, config);
  }

  void set_up(const io::KeyTable& keys, const Config& config) override {
    find_variable(keys, config);
    check_thresholds(keys, refine_, coarsen_);
    RefinementCriterion::set_up(keys, config);
  }

  Flag flag(const LeafView& leaf, const StateView&) const override {
    return flag_by(largest_curvature(on(leaf), filter_));
  }
  std::optional<solvers::LeafMeasure> measure() const override {
    return solvers::LeafMeasure{solvers::LeafMeasure::Kind::largest_curvature, quantity(), filter_};
  }
  Flag flag_by(double square) const override {
    const double estimate = std::sqrt(square);
    if (estimate > refine_) return Flag::refine;
    return estimate < coarsen_ ? Flag::coarsen : Flag::keep;
  }

 private:
  double refine_ = 0.8, coarsen_ = 0.2, filter_ = 0.01;  // FLASH's
};

}  // namespace

CriterionEntry loehner_criterion() {
  return {"loehner",
          "Where the error estimator of Loehner (1987) finds a variable's second differences large.",
          [] { return std::make_unique<Loehner>(); }};
}

}  // namespace meander::simulation
