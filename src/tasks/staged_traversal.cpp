// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/staged_traversal.hpp"

#include <chrono>

#include "base/trace.hpp"
#include "solvers/dense_output.hpp"
#include "solvers/local_step_solver.hpp"
#include "tasks/device_local_traversal.hpp"

namespace meander::tasks {

bool has_staged_local_steps(const solvers::Solver& solver) {
  return solvers::has_dense_output(solver.traits()) &&
         dynamic_cast<const solvers::LocalStepSolver*>(&solver) != nullptr;
}

template <int D>
auto StagedTraversal<D>::levels_of_mesh() -> typename Base::Levels {
  const mesh::StagedSteps<D>& steps = mesh_.staged_steps();
  return {steps.coarsest(), steps.finest()};
}

template <int D>
void StagedTraversal<D>::advance_levels(bool) {
  {
    const ScopedTimer timer(times_.halo);
    mesh_.staged_steps().restrict_from(level(clock_.first()), team_);
  }
  for (std::size_t first = clock_.first(); first < levels_;) {
    std::size_t last = first;
    while (last + 1 < levels_ && clock_[last + 1].ratio == 1) ++last;
    advance_group(first, last);
    first = last + 1;
  }
}

template <int D>
void StagedTraversal<D>::advance_group(std::size_t first, std::size_t last) {
  mesh::StagedSteps<D>& steps = mesh_.staged_steps();
  mesh::StepGroup<D>& group = steps.group(level(first), level(last));
  const LevelClock::Level& now = clock_[first];
  const solvers::Traits& traits = solver_.traits();
  counts_.shadow_updates += group.shadows();
  for (int stage = 0; stage < traits.stages; ++stage) {
    const double t = stage == 0 ? now.t : now.t + traits.time_after(stage - 1) * now.dt;
    {
      const ScopedTimer timer(times_.halo);
      if (first > 0) {
        steps.dense(level(first - 1))
            .combine(dynamic_cast<const solvers::LocalStepSolver&>(solver_),
                     {now.ratio, now.substep, stage, clock_[first - 1].dt}, team_);
      }
      group.fill(t, team_);
    }
    update(group, last, stage);
  }
}

template <int D>
void StagedTraversal<D>::update(mesh::StepGroup<D>& group, std::size_t last, int stage) {
  using Clock = std::chrono::steady_clock;
  const ScopedTimer timer(times_.update);
  const auto members = group.members();
  const int finest = level(last);
  mesh::DenseStates<D>* const dense = last + 1 < levels_ ? &mesh_.staged_steps().dense(finest) : nullptr;
  const bool measures = mesh_.measures_cost(), is_last = stage == solver_.traits().stages - 1;
  const LevelClock::Level& now = clock_[last];
  team_.for_chunks(members.size(), [&](int, std::size_t begin, std::size_t end) {
    const trace::Scope scope("local steps", static_cast<std::int64_t>(end - begin));
    for (std::size_t i = begin; i < end; ++i) {
      const auto start = measures ? Clock::now() : Clock::time_point();
      solvers::PatchStatus status;
      solver_.update(std::span(&group.patch(members[i]), 1), mesh_.layout(), stage, now.t, now.dt,
                     std::span(&status, 1));
      if (members[i].leaf_of_mesh < 0) continue;
      const auto leaf = static_cast<std::size_t>(members[i].leaf_of_mesh);
      if (dense != nullptr && members[i].level == finest) dense->keep(members[i].leaf_of_mesh, stage);
      if (is_last) this->add_status(leaf, status);
      if (measures)
        mesh_.add_cost(leaf, std::chrono::duration<double>(Clock::now() - start).count() / team_.size());
    }
  });
}

template <int D>
std::unique_ptr<LocalTraversal<D>> make_local_traversal(mesh::PatchMesh<D>& mesh,
                                                        const solvers::Solver& solver, ThreadTeam& team) {
  if (mesh.lives_on_device()) return std::make_unique<DeviceLocalTraversal<D>>(mesh, solver, team);
  if (has_staged_local_steps(solver)) return std::make_unique<StagedTraversal<D>>(mesh, solver, team);
  return std::make_unique<LocalTraversal<D>>(mesh, solver, team);
}

#define MEANDER_INSTANTIATE(D)                                                          \
  template class StagedTraversal<D>;                                                    \
  template std::unique_ptr<LocalTraversal<D>> make_local_traversal(mesh::PatchMesh<D>&, \
                                                                   const solvers::Solver&, ThreadTeam&);
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::tasks
