// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/local_traversal.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "base/timer.hpp"
#include "tasks/status.hpp"
#include "tasks/step_plan.hpp"

namespace meander::tasks {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

template <int D>
solvers::Status LocalTraversal<D>::advance(double t, double dt, double t_next, std::span<const int> ratios,
                                           const LocalStepRule& rule) {
  const mesh::LocalSteps<D>& steps = mesh_.local_steps();
  coarsest_ = steps.coarsest();
  levels_ = static_cast<std::size_t>(steps.finest() - coarsest_) + 1;
  status_.assign(mesh_.size(), {});
  observers_.prepare(mesh_.revision(), mesh_.size(), mesh_.layout());
  leaf_updates_ = 0;
  counts_.steps.resize(std::max(counts_.steps.size(), static_cast<std::size_t>(steps.finest()) + 1));
  clock_.start(levels_, t, dt);
  deadlines_.clear();
  may_postpone_ = !rule.begin;
  std::vector<int> chosen(ratios.begin(), ratios.end());
  for (bool is_first = true; !clock_.is_done(); is_first = false) {
    const std::size_t first = clock_.first();
    if (!is_first && rule.begin) rule.begin(clock_);
    if (first + 1 < levels_) {
      if (!is_first) chosen = choose(rule);
      if (chosen.empty()) {
        tasks_.finish(0);
        return merge_over_ranks(merged(), mesh_.communicator());
      }
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
  const solvers::Status status = merge_over_ranks(merged(), mesh_.communicator());
  if (status.failed) return status;
  const Timer timer(times_.halo);
  mesh_.fill_halos(t_next, team_);
  return status;
}

template <int D>
std::vector<int> LocalTraversal<D>::choose(const LocalStepRule& rule) {
  StatusReduction reduction(due(), mesh_.communicator());
  wait_for(reduction.messages(), "wait for reduction");
  const solvers::Status status = reduction.finish();
  if (status.failed) return {};
  const std::size_t first = clock_.first();
  std::vector<double> limits;
  for (std::size_t l = first + 1; l < levels_; ++l)
    limits.push_back(rule.limit(l, status.crossing[static_cast<std::size_t>(level(l))], clock_[first].t));
  return choose_ratios(clock_[first].dt, limits, rule.leaves.subspan(first + 1), rule.subcycled);
}

template <int D>
void LocalTraversal<D>::advance_levels(bool is_first) {
  if (is_first) {
    start_tasks();
    put_tasks([](std::int32_t) { return true; });
  } else {
    const std::size_t first = clock_.first();
    mesh::LocalSteps<D>& steps = mesh_.local_steps();
    mesh::LevelExchange<D>& halos = steps.exchange(level(first));
    {
      const Timer timer(times_.halo);
      steps.coarse(level(first) - 1).evaluate(stage_at(first, 0), team_);
      halos.send(team_);
      halos.fill_local(clock_[first].t, team_);
    }
    put_tasks([&](std::int32_t leaf) { return !halos.waits(leaf); });
    wait_for(halos.messages(), "wait for halos");
    if (!halos.messages().is_empty()) {
      const Timer timer(times_.halo);
      halos.finish_fill(clock_[first].t, team_);
    }
    put_tasks([&](std::int32_t leaf) { return halos.waits(leaf); });
  }
  const Timer timer(times_.update);
  tasks_.finish(may_postpone_ ? clock_.ending() : 0);
}

template <int D>
void LocalTraversal<D>::start_tasks() {
  mesh::LocalSteps<D>& steps = mesh_.local_steps();
  tasks_.start(coarsest_, levels_, [this, &steps](std::int32_t leaf) { update(steps, leaf); });
  leaves_.assign(levels_, {});
  if (may_postpone_) deadlines_.resize(mesh_.size());
  for (std::size_t leaf = 0; leaf < mesh_.size(); ++leaf) {
    const int of_leaf = mesh_.levels()[leaf];
    const auto l = static_cast<std::size_t>(of_leaf - coarsest_);
    const auto own = static_cast<std::int32_t>(leaf);
    const bool is_read = of_leaf < steps.finest() && steps.coarse(of_leaf).reads(own);
    (is_read ? leaves_[l].skeletons : leaves_[l].enclaves).push_back(own);
    if (may_postpone_)
      deadlines_[leaf] = LevelTasks::deadline(l, is_read ? LevelRole::skeleton : LevelRole::enclave);
  }
}

template <int D>
template <class Chosen>
void LocalTraversal<D>::put_tasks(const Chosen& chosen) {
  const auto put = [&](std::size_t l, LevelRole role, const std::vector<std::int32_t>& leaves) {
    std::vector<std::int32_t> ready;
    std::ranges::copy_if(leaves, std::back_inserter(ready), chosen);
    tasks_.put(l, role, ready);
  };
  for (std::size_t l = clock_.first(); l < levels_; ++l) {
    put(l, LevelRole::skeleton, leaves_[l].skeletons);
    put(l, LevelRole::enclave, leaves_[l].enclaves);
  }
}

template <int D>
template <class Messages>
void LocalTraversal<D>::wait_for(Messages& messages, const char* trace_name) {
  if (messages.is_empty()) return;
  messages_.begin();
  {
    const Timer timer(times_.update);
    tasks_.work_until([&] {
      if (!messages.poll()) return false;
      messages_.end();
      return true;
    });
  }
  const Timer timer(times_.waiting, times_.messages, trace_name);
  messages.wait();
  messages_.end();
}

template <int D>
void LocalTraversal<D>::add_status(std::size_t leaf, const solvers::PatchStatus& status) {
  solvers::add_to_status(status_[leaf], status);
}

template <int D>
void LocalTraversal<D>::update(mesh::LocalSteps<D>& steps, std::int32_t own) {
  const auto leaf = static_cast<std::size_t>(own);
  const int of_leaf = mesh_.levels()[leaf];
  const auto l = static_cast<std::size_t>(of_leaf - coarsest_);
  const bool measures = mesh_.measures_cost();
  const auto start = measures ? Clock::now() : Clock::time_point();
  if (of_leaf < steps.finest()) steps.coarse(of_leaf).keep_state(own);
  solvers::PatchStatus status;
  solver_.update(steps.patches().subspan(leaf, 1), mesh_.layout(), 0, clock_[l].t, clock_[l].dt,
                 std::span(&status, 1));
  add_status(leaf, status);
  observers_.observe(leaf, steps.patches()[leaf]);
  if (of_leaf > coarsest_) steps.fluxes(of_leaf - 1).add_step(leaf, clock_[l].substep);
  if (measures)
    mesh_.add_cost(leaf, std::chrono::duration<double>(Clock::now() - start).count() / team_.size());
}

template <int D>
void LocalTraversal<D>::end_step(std::size_t coarse, int fine_steps) {
  mesh::LocalSteps<D>& steps = mesh_.local_steps();
  mesh::FluxCorrection<D>& fluxes = steps.fluxes(level(coarse));
  fluxes.messages().start_receives();
  fluxes.start_sends(team_);
  wait_for(fluxes.messages(), "wait for fluxes");
  const Timer timer(times_.flux_correction);
  const auto leaves = fluxes.coarse_leaves();
  team_.for_chunks(leaves.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto leaf = static_cast<std::size_t>(leaves[i]);
      const solvers::PatchTask& patch = steps.patches()[leaf];
      fluxes.apply(i, patch, clock_[coarse].dt, fine_steps);
      add_status(leaf, solver_.enforce_floors(patch, mesh_.layout()));
      observers_.observe(leaf, patch);
    }
  });
}

template <int D>
solvers::Status LocalTraversal<D>::merged() {
  return merge(mesh_.patches(), mesh_.levels(), status_);
}

template <int D>
solvers::Status LocalTraversal<D>::due() {
  if (deadlines_.empty()) return merged();
  std::vector<solvers::PatchStatus> statuses = status_;
  for (std::size_t leaf = 0; leaf < statuses.size(); ++leaf) {
    if (deadlines_[leaf] < clock_.first()) statuses[leaf] = {};
  }
  return merge(mesh_.patches(), mesh_.levels(), statuses);
}

#define MEANDER_INSTANTIATE(D)      \
  template class LocalTraversal<D>; \
  template void LocalTraversal<D>::wait_for(parallel::NeighbourMessages&, const char*);
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::tasks
