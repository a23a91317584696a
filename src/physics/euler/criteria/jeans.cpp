// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Where the Jeans length of self-gravitating gas, 2 pi c / sqrt(4 pi G rho), spans few volumes: with fewer than four, errors of the
// mesh make gas fall into pieces that would not (Truelove et al. 1997, ApJ 489, L179). In supercomoving variables 6 a takes the place
// of 4 pi G.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>

#include "physics/euler/module.hpp"
#include "simulation/config/config.hpp"
#include "simulation/refinement_criterion.hpp"

namespace meander::euler {
namespace {

using namespace simulation;

class Jeans final : public RefinementCriterion {
 public:
  void describe(io::KeyTable& keys, const Config& config) override {
    keys.number("refine", refine_, "volumes",
                "Refine a leaf where the Jeans length spans fewer volumes than this.", io::greater_than(0));
    keys.number(
            "coarsen", coarsen_, "volumes",
            "Coarsen a leaf where the Jeans length spans more volumes than this everywhere: at least three "
            "times refine, for coarser volumes are three times as wide.",
            io::greater_than(0))
        .default_text = "4.5 refine";
    RefinementCriterion::describe(keys, config);
  }

  void set_up(const io::KeyTable& keys, const Config& config) override {
    const auto* const equation = dynamic_cast<const EulerEquation*>(config.equation.get());
    if (equation == nullptr || !equation->self_gravity.is_on)
      keys.reject("kind", "'jeans' needs self-gravity: gravity.method = \"poisson\"");
    gravity_ = equation->self_gravity;
    if (!keys.was_given("coarsen")) coarsen_ = 4.5 * refine_;
    if (coarsen_ < 3 * refine_) {
      keys.reject("coarsen", fmt::format("must be at least three times refine, but is {} and refine is {}",
                                         coarsen_, refine_));
    }
    solver_ = config.solver;
    const auto& derived = solver_->derived();
    sound_ = static_cast<int>(std::ranges::find(derived, "sound_speed", &solvers::Derived::name) -
                              derived.begin());
    base_level_ = config.base_level();
    base_dx_ =
        (config.domain.upper[0] - config.domain.lower[0]) / (config.domain.cells[0] * config.mesh.patch_size);
    RefinementCriterion::set_up(keys, config);
  }

  Flag flag(const LeafView& leaf, const StateView& state) const override {
    const auto& sound = solver_->derived()[static_cast<std::size_t>(sound_)];
    double most = 0, q[solvers::most_unknowns];
    for (int k = 0; k < (leaf.layout.dim == 3 ? leaf.layout.p : 1); ++k) {
      for (int j = 0; j < leaf.layout.p; ++j) {
        for (int i = 0; i < leaf.layout.p; ++i) {
          for (int n = 0; n < leaf.layout.unknowns; ++n) q[n] = leaf.patch.q[leaf.layout.at(n, i, j, k)];
          const double c = sound.value(solver_->parameters(), q);
          most = std::max(most, q[0] / (c * c));
        }
      }
    }
    return flag_by(most, leaf.level, state.t);
  }
  std::optional<solvers::LeafMeasure> measure() const override {
    return solvers::LeafMeasure{
        .kind = solvers::LeafMeasure::Kind::largest_ratio, .quantity = 0, .divisor = sound_};
  }
  Flag flag_by(double density_over_c2, int level, double t) const override {
    const double strength = gravity_.factor() * (gravity_.is_supercomoving ? scale_factor(t) : 1);
    const double length = 2 * std::numbers::pi / std::sqrt(strength * density_over_c2);
    const double volumes = length / (base_dx_ * std::pow(3.0, base_level_ - level));
    return volumes < refine_ ? Flag::refine : volumes > coarsen_ ? Flag::coarsen : Flag::keep;
  }

 private:
  double refine_ = 4, coarsen_ = 0, base_dx_ = 0;
  int base_level_ = 0, sound_ = 0;
  SelfGravityParameters gravity_;
  std::shared_ptr<const solvers::Solver> solver_;
};

}  // namespace

CriterionEntry jeans_criterion() {
  return {"jeans", "Where the Jeans length of gas in its own gravity spans few volumes.",
          [] { return std::make_unique<Jeans>(); }};
}

}  // namespace meander::euler
