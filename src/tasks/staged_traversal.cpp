// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/staged_traversal.hpp"

#include <chrono>
#include <optional>

#include "base/timer.hpp"
#include "solvers/dense_output.hpp"
#include "solvers/local_step_solver.hpp"
#include "tasks/device_local_traversal.hpp"

namespace meander::tasks {

bool has_staged_local_steps(const solvers::Solver& solver) {
  return solvers::has_dense_output(solver.traits()) &&
         dynamic_cast<const solvers::LocalStepSolver*>(&solver) != nullptr;
}

template <int D>
void StagedTraversal<D>::advance_levels(bool is_first) {
  mesh::LocalSteps<D>& steps = mesh_.local_steps();
  if (is_first) {
    // One level more: skeletons of the finest one are due before it.
    tasks_.start(coarsest_, levels_ + 1, [this](std::int32_t task) { update(task); });
    stages_.assign(levels_, {});
    if (may_postpone_) deadlines_.assign(mesh_.size(), levels_);
  }
  {
    std::optional<Timer> timer(std::in_place, times_.halo);
    steps.restrict_from(level(clock_.first()), team_, [&](parallel::NeighbourMessages& messages) {
      timer.reset();
      this->wait_for(messages, "wait for refined cells");
      timer.emplace(times_.halo);
    });
  }
  for (std::size_t first = clock_.first(); first < levels_;) {
    const std::size_t last = clock_.last_with_step_of(first);
    advance_group({mesh_.level_exchange(level(first), level(last)), first, last,
                   first > 0 ? &steps.coarse(level(first - 1)) : nullptr,
                   last + 1 < levels_ ? &steps.coarse(level(last)) : nullptr});
    first = last + 1;
  }
  const Timer timer(times_.update);
  tasks_.finish(may_postpone_ ? clock_.ending() : 0);
}

template <int D>
void StagedTraversal<D>::advance_group(const Group& group) {
  const int stages = solver_.traits().stages;
  counts_.shadow_updates += group.members.shadows();
  present_ = &group.members;
  send(group, 0);
  for (int stage = 0; stage < stages; ++stage) {
    for (std::size_t l = group.first; l <= group.last; ++l)
      stages_[l] = {stage, l == group.last ? group.kept : nullptr};
    fill(group, stage);
    {
      const Timer timer(times_.update);
      tasks_.finish(LevelTasks::deadline(group.last, LevelRole::skeleton));
    }
    if (stage == stages - 1) return;
    send(group, stage + 1);
    const Timer timer(times_.update);
    tasks_.finish(LevelTasks::deadline(group.last, LevelRole::enclave), [&] {
      if (group.members.messages().poll()) messages_.end();
    });
  }
}

template <int D>
void StagedTraversal<D>::send(const Group& group, int stage) {
  const Timer timer(times_.halo);
  if (group.coarser != nullptr) group.coarser->evaluate(this->stage_at(group.first, stage), team_);
  group.members.send(team_);
  if (!group.members.messages().is_empty()) messages_.begin();
}

template <int D>
void StagedTraversal<D>::fill(const Group& group, int stage) {
  const LevelClock::Level& now = clock_[group.first];
  const double t = stage == 0 ? now.t : now.t + solver_.traits().time_after(stage - 1) * now.dt;
  {
    const Timer timer(times_.halo);
    group.members.fill_local(t, team_);
  }
  put_tasks(group, stage, false);
  if (group.members.messages().is_empty()) return;
  this->wait_for(group.members.messages(), "wait for halos");
  {
    const Timer timer(times_.halo);
    group.members.finish_fill(t, team_);
  }
  put_tasks(group, stage, true);
}

template <int D>
void StagedTraversal<D>::put_tasks(const Group& group, int stage, bool waiting) {
  const bool is_last = stage == solver_.traits().stages - 1;
  std::vector<std::int32_t> skeletons, enclaves;
  const auto members = group.members.members();
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& member = members[i];
    if (group.members.waits(member.patch) != waiting) continue;
    const std::int32_t leaf = member.leaf_of_mesh;
    // Nobody reads shadows after their step.
    if (is_last && leaf < 0) continue;
    const bool is_read = group.kept != nullptr && leaf >= 0 && group.kept->reads(leaf);
    const bool is_skeleton = is_last ? is_read : group.members.is_border(member.patch);
    (is_skeleton ? skeletons : enclaves).push_back(leaf >= 0 ? leaf : -1 - static_cast<std::int32_t>(i));
    if (is_last && !deadlines_.empty())
      deadlines_[static_cast<std::size_t>(leaf)] = is_read ? levels_ : group.last;
  }
  tasks_.put(group.last, LevelRole::skeleton, skeletons);
  tasks_.put(group.last, LevelRole::enclave, enclaves);
}

template <int D>
void StagedTraversal<D>::update(std::int32_t task) {
  using Clock = std::chrono::steady_clock;
  const bool is_shadow = task < 0;
  const auto leaf = static_cast<std::size_t>(is_shadow ? -1 - task : task);
  const bool measures = mesh_.measures_cost() && !is_shadow;
  const auto start = measures ? Clock::now() : Clock::time_point();
  const auto of_level = [this](int of) { return static_cast<std::size_t>(of - coarsest_); };
  const std::size_t l = of_level(is_shadow ? present_->members()[leaf].level : mesh_.levels()[leaf]);
  const auto [stage, kept] = stages_[l];
  const std::span<const solvers::PatchTask> patch(
      is_shadow ? &present_->patch(present_->members()[leaf]) : &mesh_.patches()[leaf], 1);
  solvers::PatchStatus status;
  solver_.update(patch, mesh_.layout(), stage, clock_[l].t, clock_[l].dt, std::span(&status, 1));
  if (is_shadow) return;
  if (kept != nullptr) kept->keep_rates(task, stage);
  if (stage == solver_.traits().stages - 1) {
    this->add_status(leaf, status);
    this->observers_.observe(leaf, patch.front());
  }
  if (measures)
    mesh_.add_cost(leaf, std::chrono::duration<double>(Clock::now() - start).count() / team_.size());
}

template <int D>
std::unique_ptr<LocalTraversal<D>> make_local_traversal(mesh::PatchMesh<D>& mesh,
                                                        const solvers::Solver& solver, ThreadTeam& team,
                                                        LeafObservers* observers) {
  if (mesh.lives_on_device()) return std::make_unique<DeviceLocalTraversal<D>>(mesh, solver, team);
  if (has_staged_local_steps(solver))
    return std::make_unique<StagedTraversal<D>>(mesh, solver, team, observers);
  return std::make_unique<LocalTraversal<D>>(mesh, solver, team, observers);
}

#define MEANDER_INSTANTIATE(D)                                      \
  template class StagedTraversal<D>;                                \
  template std::unique_ptr<LocalTraversal<D>> make_local_traversal( \
      mesh::PatchMesh<D>&, const solvers::Solver&, ThreadTeam&, LeafObservers*);
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::tasks
