// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/control/local_stepping.hpp"

#include <algorithm>
#include <numeric>

namespace meander::simulation {
namespace {

// Within a step of the coarsest level, ratios grow only if wave speeds have grown by more than this factor:
// with larger ratios for less, most steps would cost a third more. A global step tolerates any growth.
constexpr double tolerated_growth = 1.1;

}  // namespace

template <int D>
void LocalStepping<D>::set_levels(std::span<const std::int64_t> leaves, std::span<const double> widths) {
  leaves_.clear();
  widths_.clear();
  for (std::size_t level = 0; level < leaves.size(); ++level) {
    if (leaves[level] == 0) continue;
    if (leaves_.empty()) report_.coarsest = static_cast<int>(level);
    leaves_.push_back(leaves[level]);
    widths_.push_back(widths[level]);
  }
}

template <int D>
double LocalStepping<D>::limit(std::size_t level, double crossing, double t, double cfl) const {
  return std::min(cfl * crossing, solver_.step_limit(t, widths_[level]));
}

template <int D>
double LocalStepping<D>::plan(const tasks::SweepStatus& status, double t) {
  mesh_.communicator().agree([&] {
    if (!solver_.step_bytes().empty()) {
      throw InputError(
          "time.stepping = \"local\" does not exist for scenarios that give the solver data for each step; "
          "use \"global\"");
    }
  });
  const tasks::SweepStatus all = tasks::merge_over_ranks(status, mesh_.communicator());
  limits_.resize(leaves_.size());
  for (std::size_t level = 0; level < leaves_.size(); ++level)
    limits_[level] =
        limit(level, all.crossing[static_cast<std::size_t>(report_.coarsest) + level], t, config_.time.cfl);
  plan_ = tasks::plan_steps(limits_, leaves_, config_.mesh.subcycled_levels);
  return plan_.dt;
}

template <int D>
bool LocalStepping<D>::is_global() const {
  return std::ranges::all_of(plan_.ratios, [](int ratio) { return ratio == 1; });
}

template <int D>
std::int64_t LocalStepping<D>::steps_of(std::size_t level) const {
  const auto& steps = traversal_.counts().steps;
  const std::size_t of_tree = static_cast<std::size_t>(report_.coarsest) + level;
  return of_tree < steps.size() ? steps[of_tree] : 0;
}

template <int D>
void LocalStepping<D>::count(std::span<const std::int64_t> steps) {
  report_.ratios.assign(plan_.ratios.begin() + 1, plan_.ratios.end());
  report_.updates += leaf_updates_;
  report_.global_updates += steps.back() * std::accumulate(leaves_.begin(), leaves_.end(), std::int64_t{0});
  // For the next partition: a leaf's updates in a step of the coarsest level.
  std::vector<std::int64_t> weights(static_cast<std::size_t>(report_.coarsest), 1);
  weights.insert(weights.end(), steps.begin(), steps.end());
  mesh_.set_level_weights(weights);
}

template <int D>
tasks::SweepStatus LocalStepping<D>::advance(double t, double dt, double t_next) {
  // A step that ends early, at a plot time, may need smaller ratios.
  const auto finer = tasks::choose_ratios(dt, std::span(limits_).subspan(1), std::span(leaves_).subspan(1),
                                          config_.mesh.subcycled_levels);
  std::ranges::copy(finer, plan_.ratios.begin() + 1);
  const double cfl = std::min(tolerated_growth * config_.time.cfl, solver_.max_cfl());
  const tasks::LocalStepRule rule{
      config_.mesh.subcycled_levels, leaves_,
      [this, cfl](std::size_t level, double crossing, double at) { return limit(level, crossing, at, cfl); }};
  std::vector<std::int64_t> steps(leaves_.size());
  for (std::size_t level = 0; level < steps.size(); ++level) steps[level] = -steps_of(level);
  const tasks::SweepStatus status = traversal_.advance(t, dt, t_next, finer, rule);
  leaf_updates_ = traversal_.leaf_updates();
  report_.steps = traversal_.counts().steps;
  report_.large_ratios = traversal_.counts().large_ratios;
  for (std::size_t level = 0; level < steps.size(); ++level) steps[level] += steps_of(level);
  count(steps);
  return status;
}

template <int D>
void LocalStepping<D>::count_global_step() {
  leaf_updates_ = std::accumulate(leaves_.begin(), leaves_.end(), std::int64_t{0});
  auto& steps = traversal_.counts().steps;
  const std::size_t first = static_cast<std::size_t>(report_.coarsest), end = first + leaves_.size();
  steps.resize(std::max(steps.size(), end));
  for (std::size_t level = first; level < end; ++level) ++steps[level];
  report_.steps = steps;
  count(std::vector<std::int64_t>(leaves_.size(), 1));
}

template class LocalStepping<2>;
template class LocalStepping<3>;

}  // namespace meander::simulation
