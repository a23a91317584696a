// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/local_traversal.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include "base/trace.hpp"
#include "tasks/step_plan.hpp"

namespace meander::tasks {
namespace {

using Clock = std::chrono::steady_clock;

// Adds a later status of a leaf: counts add up, rates are the latest.
void add(solvers::PatchStatus& status, const solvers::PatchStatus& later) {
  status.max_rate = later.max_rate;
  status.first_order += later.first_order;
  status.floored += later.floored;
  status.strayed += later.strayed;
  if (status.breach.bound < 0) status.breach = later.breach;
  status.admissible = status.admissible && later.admissible;
}

// For the trace: the coarsest level that begins a step.
const char* name_of_update(int level) {
  static const auto names = [] {
    std::vector<std::string> all;
    for (int l = 0; l < most_levels; ++l) all.push_back("update from level " + std::to_string(l));
    return all;
  }();
  return names[static_cast<std::size_t>(level)].c_str();
}

}  // namespace

template <int D>
SweepStatus LocalTraversal<D>::advance(double t, double dt, double t_next, std::span<const int> ratios,
                                       const LocalStepRule& rule) {
  const auto [coarsest, finest] = levels_of_mesh();
  coarsest_ = coarsest;
  levels_ = static_cast<std::size_t>(finest - coarsest) + 1;
  status_.assign(mesh_.size(), {});
  leaf_updates_ = 0;
  counts_.steps.resize(std::max(counts_.steps.size(), static_cast<std::size_t>(finest) + 1));
  clock_.start(levels_, t, dt);
  std::vector<int> chosen(ratios.begin(), ratios.end());
  for (bool is_first = true; !clock_.is_done(); is_first = false) {
    const std::size_t first = clock_.first();
    if (!is_first && rule.begin) rule.begin(clock_);
    if (first + 1 < levels_) {
      if (!is_first) chosen = choose(rule);
      if (chosen.empty()) return merge_over_ranks(merged(), mesh_.communicator());
      clock_.begin_finer(chosen);
      counts_.large_ratios += std::ranges::count_if(chosen, [](int m) { return m > planned_ratio; });
    }
    for (std::size_t l = first; l < levels_; ++l) {
      ++counts_.steps[static_cast<std::size_t>(level(l))];
      leaf_updates_ += rule.leaves[l];
    }
    advance_levels(is_first);
    const std::size_t ended = clock_.end_tick();
    for (std::size_t l = levels_ - 1; l-- > ended;) end_step(l, clock_[l + 1].ratio);
  }
  const SweepStatus status = merge_over_ranks(merged(), mesh_.communicator());
  if (status.failed) return status;
  const ScopedTimer timer(times_.halo);
  mesh_.fill_halos(t_next, team_);
  return status;
}

template <int D>
std::vector<int> LocalTraversal<D>::choose(const LocalStepRule& rule) {
  const ScopedTimer timer(times_.waiting);
  const SweepStatus status = merge_over_ranks(merged(), mesh_.communicator());
  if (status.failed) return {};
  const std::size_t first = clock_.first();
  std::vector<double> limits;
  for (std::size_t l = first + 1; l < levels_; ++l)
    limits.push_back(rule.limit(l, status.crossing[static_cast<std::size_t>(level(l))], clock_[first].t));
  return choose_ratios(clock_[first].dt, limits, rule.leaves.subspan(first + 1), rule.subcycled);
}

template <int D>
auto LocalTraversal<D>::levels_of_mesh() -> Levels {
  const mesh::LocalSteps<D>& steps = mesh_.local_steps();
  return {steps.coarsest(), steps.finest()};
}

template <int D>
void LocalTraversal<D>::advance_levels(bool is_first) {
  mesh::LocalSteps<D>& steps = mesh_.local_steps();
  if (!is_first) {
    const std::size_t first = clock_.first();
    const ScopedTimer timer(times_.halo);
    steps.halos(level(first)).fill(clock_[first].theta(), clock_[first].t, team_);
  }
  update(steps);
}

template <int D>
void LocalTraversal<D>::add_status(std::size_t leaf, const solvers::PatchStatus& status) {
  add(status_[leaf], status);
}

template <int D>
void LocalTraversal<D>::update(mesh::LocalSteps<D>& steps) {
  const ScopedTimer timer(times_.update);
  const auto leaves = steps.leaves_from(level(clock_.first()));
  const bool measures = mesh_.measures_cost();
  team_.for_chunks(leaves.size(), [&](int, std::size_t begin, std::size_t end) {
    const trace::Scope scope(name_of_update(level(clock_.first())), static_cast<std::int64_t>(end - begin));
    for (std::size_t i = begin; i < end; ++i) {
      const auto leaf = static_cast<std::size_t>(leaves[i]);
      const int of_leaf = mesh_.levels()[leaf];
      const auto l = static_cast<std::size_t>(of_leaf - coarsest_);
      const auto start = measures ? Clock::now() : Clock::time_point();
      if (of_leaf < steps.finest()) steps.halos(of_leaf + 1).keep(leaves[i]);
      solvers::PatchStatus status;
      solver_.update(steps.patches().subspan(leaf, 1), mesh_.layout(), 0, clock_[l].t, clock_[l].dt,
                     std::span(&status, 1));
      add_status(leaf, status);
      if (of_leaf > coarsest_) steps.fluxes(of_leaf - 1).add_step(leaves[i], clock_[l].substep);
      if (measures)
        mesh_.add_cost(leaf, std::chrono::duration<double>(Clock::now() - start).count() / team_.size());
    }
  });
}

template <int D>
void LocalTraversal<D>::end_step(std::size_t coarse, int fine_steps) {
  mesh::LocalSteps<D>& steps = mesh_.local_steps();
  mesh::LevelFluxes<D>& fluxes = steps.fluxes(level(coarse));
  {
    const ScopedTimer timer(times_.waiting), of_messages(times_.messages);
    const trace::Scope scope("wait for fluxes");
    fluxes.exchange(team_);
  }
  const ScopedTimer timer(times_.flux_correction);
  const auto leaves = fluxes.coarse_leaves();
  team_.for_chunks(leaves.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto leaf = static_cast<std::size_t>(leaves[i]);
      const solvers::PatchTask& patch = steps.patches()[leaf];
      fluxes.correct(i, patch, clock_[coarse].dt, fine_steps);
      add_status(leaf, solver_.enforce_floors(patch, mesh_.layout()));
    }
  });
}

template <int D>
SweepStatus LocalTraversal<D>::merged() const {
  return merge(mesh_.patches(), mesh_.levels(), status_);
}

template class LocalTraversal<2>;
template class LocalTraversal<3>;

}  // namespace meander::tasks
