// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/control/local_stepping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

namespace meander::simulation {
namespace {

// Within a step of the coarsest level, ratios grow only if wave speeds or accelerations have grown by more than
// this factor: with larger ratios for less, most steps would cost a third more. A global step tolerates any
// growth.
constexpr double tolerated_growth = 1.1;
constexpr double infinity = std::numeric_limits<double>::infinity();

// Names of counters in a checkpoint.
constexpr const char* large_ratios_counter = "ratios-above-3";
std::string updates_counter(std::size_t level) {
  return fmt::format("leaf-updates-level-{}", level);
}

}  // namespace

template <int D>
void LocalStepping<D>::set_levels(std::span<const std::int64_t> leaves, std::span<const double> widths) {
  leaves_.clear();
  widths_.clear();
  const std::vector<int> ratios = std::exchange(report_.ratios, {});
  const int coarsest = report_.coarsest;
  for (std::size_t level = 0; level < leaves.size(); ++level) {
    if (leaves[level] == 0) continue;
    if (leaves_.empty()) report_.coarsest = static_cast<int>(level);
    leaves_.push_back(leaves[level]);
    widths_.push_back(widths[level]);
  }
  // Levels that remain keep their ratios in the report.
  for (int level = report_.coarsest + 1; level < report_.coarsest + static_cast<int>(leaves_.size());
       ++level) {
    const int of = level - coarsest - 1;
    const bool remains = of >= 0 && of < static_cast<int>(ratios.size());
    report_.ratios.push_back(remains ? ratios[static_cast<std::size_t>(of)] : 1);
  }
  const auto* const by_patch = dynamic_cast<const solvers::LocalStepSolver*>(&solver_);
  limits_of_patches_.clear();
  if (by_patch == nullptr) return;
  limits_of_patches_.assign(leaves_.size(), infinity);
  for (std::size_t leaf = 0; leaf < mesh_.size(); ++leaf) {
    double& limit = limits_of_patches_[static_cast<std::size_t>(mesh_.levels()[leaf] - report_.coarsest)];
    limit = std::min(limit, by_patch->step_limit_of(mesh_.patches()[leaf], mesh_.layout()));
  }
  for (double& limit : limits_of_patches_) limit = mesh_.communicator().min(limit);
}

template <int D>
double LocalStepping<D>::limit(std::size_t level, double crossing, double t, double growth) const {
  const double cfl = std::min(growth * config_.time.cfl, solver_.max_cfl());
  const double of_solver =
      limits_of_patches_.empty() ? solver_.step_limit(t, widths_[level]) : limits_of_patches_[level];
  const double of_field = field_ ? field_->step_limit(report_.coarsest + static_cast<int>(level)) : infinity;
  return std::min({cfl * crossing, growth * of_solver, growth * of_field});
}

template <int D>
void LocalStepping<D>::begin(const tasks::LevelClock& clock) {
  std::vector<double> passed(static_cast<std::size_t>(report_.coarsest), 0.0);
  for (std::size_t level = 0; level < leaves_.size(); ++level) passed.push_back(clock.passed(level));
  const std::size_t first = clock.first();
  const int first_of_tree = report_.coarsest + static_cast<int>(first);
  if (config_.scenario->step_data() == Scenario::StepData::of_levels)
    prepare_({first_of_tree, passed}, clock[first].t);
  if (field_) solve_(clock[first].t, first_of_tree);
}

template <int D>
void LocalStepping<D>::act(const tasks::LevelClock& clock, std::size_t level, bool starts) {
  const auto coarsest = static_cast<std::size_t>(report_.coarsest), first = coarsest + level;
  const double half = 0.5 * clock[level].dt;
  std::vector<double> times(coarsest + clock.levels(), 0.0);
  if (level == clock.first()) {  // the step that ends, too
    if (starts) lengths_.assign(times.size(), 0.0);
    for (std::size_t l = first; l < times.size(); ++l) {
      times[l] = half + 0.5 * lengths_[l];
      lengths_[l] = clock[l - coarsest].dt;
    }
  } else {
    std::fill(times.begin() + static_cast<std::ptrdiff_t>(first), times.end(),
              half - 0.5 * clock[level - 1].dt);
  }
  if (level > 0) {
    missing_.resize(times.size());
    missing_[first - 1] = (clock[level].theta() - 0.5) * clock[level - 1].dt + half;
  }
  field_->act_within(static_cast<int>(first), times, half, starts, team_);
}

template <int D>
double LocalStepping<D>::plan(const solvers::Status& status, double t) {
  mesh_.communicator().agree([&] {
    if (config_.scenario->step_data() != Scenario::StepData::of_levels &&
        !std::ranges::equal(solver_.step_bytes(), fixed_data_)) {
      throw InputError(
          "time.stepping = \"local\" does not exist for scenarios that give the solver data for each step; "
          "use \"global\"");
    }
  });
  limits_.resize(leaves_.size());
  for (std::size_t level = 0; level < leaves_.size(); ++level)
    limits_[level] = limit(level, status.crossing[static_cast<std::size_t>(report_.coarsest) + level], t, 1);
  plan_ = tasks::plan_steps(limits_, leaves_, config_.mesh.subcycled_levels);
  return plan_.dt;
}

template <int D>
bool LocalStepping<D>::is_global() const {
  return std::ranges::all_of(plan_.ratios, [](int ratio) { return ratio == 1; });
}

template <int D>
std::int64_t LocalStepping<D>::steps_of(std::size_t level) const {
  const auto& steps = step_.counts().steps;
  const std::size_t of_tree = static_cast<std::size_t>(report_.coarsest) + level;
  return of_tree < steps.size() ? steps[of_tree] : 0;
}

template <int D>
void LocalStepping<D>::count(std::span<const std::int64_t> steps) {
  report_.ratios.assign(plan_.ratios.begin() + 1, plan_.ratios.end());
  report_.updates += leaf_updates_;
  const auto coarsest = static_cast<std::size_t>(report_.coarsest);
  report_.level_updates.resize(std::max(report_.level_updates.size(), coarsest + steps.size()));
  for (std::size_t level = 0; level < steps.size(); ++level)
    report_.level_updates[coarsest + level] += steps[level] * leaves_[level];
  report_.global_updates += steps.back() * std::accumulate(leaves_.begin(), leaves_.end(), std::int64_t{0});
  mesh_.set_level_steps({report_.coarsest, {steps.begin(), steps.end()}, report_.has_enclaves});
  if (steps.back() > 1 && !std::exchange(took_local_step_, true)) wants_partition_ = true;
}

template <int D>
solvers::Status LocalStepping<D>::advance(double t, double dt, double t_next) {
  // A step that ends early, at a plot time, may need smaller ratios.
  const auto finer = tasks::choose_ratios(dt, std::span(limits_).subspan(1), std::span(leaves_).subspan(1),
                                          config_.mesh.subcycled_levels);
  std::ranges::copy(finer, plan_.ratios.begin() + 1);
  tasks::LocalStepRule rule{config_.mesh.subcycled_levels, leaves_,
                            [this](std::size_t level, double crossing, double at) {
                              return limit(level, crossing, at, tolerated_growth);
                            }};
  if (field_ || config_.scenario->step_data() == Scenario::StepData::of_levels)
    rule.begin = [this](const tasks::LevelClock& clock) { begin(clock); };
  if (field_) {
    rule.change = [this, starts = true](const tasks::LevelClock& clock, std::size_t level) mutable {
      act(clock, level, std::exchange(starts, false));
    };
    rule.at_time = [this](int level) {
      field_->act_on_copies(level, missing_[static_cast<std::size_t>(level)], team_);
    };
  }
  std::vector<std::int64_t> steps(leaves_.size());
  for (std::size_t level = 0; level < steps.size(); ++level) steps[level] = -steps_of(level);
  const solvers::Status status = step_.advance(t, dt, t_next, finer, rule);
  leaf_updates_ = step_.leaf_updates();
  report_.steps = step_.counts().steps;
  report_.large_ratios = step_.counts().large_ratios;
  report_.shadow_volume_updates = step_.counts().shadow_updates * mesh_.layout().volumes();
  for (std::size_t level = 0; level < steps.size(); ++level) steps[level] += steps_of(level);
  count(steps);
  return status;
}

template <int D>
void LocalStepping<D>::count_global_step() {
  leaf_updates_ = std::accumulate(leaves_.begin(), leaves_.end(), std::int64_t{0});
  auto& steps = step_.counts().steps;
  const std::size_t first = static_cast<std::size_t>(report_.coarsest), end = first + leaves_.size();
  steps.resize(std::max(steps.size(), end));
  for (std::size_t level = first; level < end; ++level) ++steps[level];
  report_.steps = steps;
  count(std::vector<std::int64_t>(leaves_.size(), 1));
}

template <int D>
void LocalStepping<D>::save(io::CheckpointState& state) const {
  state.counters.emplace_back(large_ratios_counter, report_.large_ratios);
  for (std::size_t level = 0; level < report_.level_updates.size(); ++level)
    state.counters.emplace_back(updates_counter(level), report_.level_updates[level]);
}

template <int D>
void LocalStepping<D>::resume(const io::CheckpointState& state) {
  auto& updates = report_.level_updates;
  for (const auto& [name, value] : state.counters) {
    if (name == large_ratios_counter) report_.large_ratios = step_.counts().large_ratios = value;
  }
  // Counters come in any order: attributes of a file are sorted by name.
  for (;;) {
    const auto next = std::ranges::find(state.counters, updates_counter(updates.size()),
                                        &std::pair<std::string, std::int64_t>::first);
    if (next == state.counters.end()) break;
    updates.push_back(next->second);
  }
}

template class LocalStepping<2>;
template class LocalStepping<3>;

}  // namespace meander::simulation
