// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/criteria/regions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "simulation/config/check_config.hpp"
#include "simulation/config/config.hpp"
#include "simulation/refinement_criterion.hpp"

namespace meander::simulation {

namespace {

// A ball (in 2D a disc) or a spherical shell (a ring) whose radius may change in time.
class Ball final : public RefinementCriterion {
 public:
  explicit Ball(bool is_shell) : is_shell_(is_shell) {}

  void describe(io::KeyTable& keys, const Config& config) override {
    for (std::size_t a = 0; a < config.domain.lower.size(); ++a) centre_.push_back(config.middle()[a]);
    t_ref_ = config.time.start;
    keys.numbers("centre", centre_, "length", is_shell_ ? "Centre of the shell." : "Centre of the ball.")
        .default_text = "the domain's centre";
    keys.number("radius", radius_, "length", "Radius at the reference time.", io::at_least(0)).required =
        true;
    if (is_shell_) {
      keys.number("width", width_, "length",
                  "The shell reaches from radius - width / 2 to radius + width / 2.", io::greater_than(0))
          .required = true;
    }
    keys.number("speed", speed_, "length/time",
                "radius(t) = radius (t / reference-time)^power + speed (t - reference-time).");
    keys.number("power", power_, "", "See speed. Not below 0 if the run starts or ends at the time 0.");
    keys.number("reference-time", t_ref_, "time", "Time at which `radius` holds.").default_text =
        "time.start";
    RefinementCriterion::describe(keys, config);
  }

  void set_up(const io::KeyTable& keys, const Config& config) override {
    check_length(keys, "centre", centre_, config.domain.dimensions);
    if (power_ != 0) {
      // (t / t_ref)^power must be finite at all times of the run.
      const double first = config.time.start / t_ref_, last = config.time.end / t_ref_;
      if (t_ref_ == 0 || first < 0 || last < 0) {
        keys.reject("reference-time", fmt::format("must not be 0 and must have the sign of all times of the "
                                                  "run ({} to {}) if power is not 0, but is {}",
                                                  config.time.start, config.time.end, t_ref_));
      }
      if (power_ < 0 && (first == 0 || last == 0)) {
        keys.reject(
            "power",
            fmt::format("must not be negative, since the run ({} to {}) contains the time 0, but is {}",
                        config.time.start, config.time.end, power_));
      }
      least_ratio_ = 0.5 * std::min(first, last);
    }
    RefinementCriterion::set_up(keys, config);
  }

  bool reads_state() const override { return false; }
  Flag flag(const LeafView& leaf, const StateView& state) const override {
    const auto [nearest, farthest] = distances(leaf, centre_);
    const double t = state.t;
    const double radius =
        radius_ * (power_ == 0 ? 1.0 : std::pow(std::max(t / t_ref_, least_ratio_), power_)) +
        speed_ * (t - t_ref_);
    const double inner = is_shell_ ? radius - width_ / 2 : 0.0;
    const double outer = is_shell_ ? radius + width_ / 2 : radius;
    return nearest < outer && farthest >= inner ? Flag::refine : Flag::coarsen;
  }

 private:
  bool is_shell_;
  std::vector<double> centre_;
  double radius_ = 0, width_ = 0, speed_ = 0, power_ = 0, t_ref_ = 1;
  // Where a regrid looks beyond the end of the run (RegridLookahead), towards the singularity at t = 0, the radius stays
  // that of this t / t_ref. It is not that of the end, so that a restart with a later end hardly ever sees other leaves.
  double least_ratio_ = 0;
};

}  // namespace

CriterionEntry ball_criterion() {
  return {"ball", "Inside a ball (in 2D a disc), which may grow. Its periodic images do not count.",
          [] { return std::make_unique<Ball>(false); }};
}

CriterionEntry shell_criterion() {
  return {"shell", "Inside a spherical shell (in 2D a ring), which may grow.",
          [] { return std::make_unique<Ball>(true); }};
}

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

namespace {

// Where a formula is positive.
class Formula final : public RefinementCriterion {
 public:
  void describe(io::KeyTable& keys, const Config& config) override {
    keys.formula("formula", formula_, "",
                 "A formula of x, y, z, r (distance from the origin) and t: leaves in which it is positive "
                 "at the centre "
                 "of a volume are refined.")
        .required = true;
    keys.all().back().example = "\"0.1 + 0.5 * t - r\"";
    RefinementCriterion::describe(keys, config);
  }

  void set_up(const io::KeyTable& keys, const Config& config) override {
    positive_.emplace(config, keys.table() + ".formula", formula_);
    RefinementCriterion::set_up(keys, config);
  }

  bool reads_state() const override { return false; }
  Flag flag(const LeafView& leaf, const StateView& state) const override {
    return positive_->is_positive(leaf.patch, leaf.layout, state.t) ? Flag::refine : Flag::coarsen;
  }

 private:
  io::FormulaText formula_;
  std::optional<LeafFormula> positive_;
};

}  // namespace

CriterionEntry formula_criterion() {
  return {"formula", "Where a formula of position and time is positive.",
          [] { return std::make_unique<Formula>(); }};
}

}  // namespace meander::simulation
