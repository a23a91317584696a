// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Local time steps of a Runge-Kutta solver of point values. In a tick the levels that begin a step advance
// group by group, the coarsest first: levels with the same step stage by stage, as with global steps, with the
// shadows of the finest of them. Their halos beside the next coarser level are those of dense output
// (solvers/dense_output.hpp).
//
// In a stage the members of a group that other ranks read (skeletons) are updated first; then their messages for
// the next stage leave, and travel while the others (enclaves) are updated. Members whose halos need no messages
// do not wait for any. Skeletons of the last stage are those that finer halos read: finer levels begin
// when they are done. Nobody reads the other members before the end of their step. Their last stage is a task with this
// deadline (level_tasks.hpp), which fills the waits of finer levels.

#include <memory>

#include "tasks/local_traversal.hpp"

namespace meander::tasks {

// Whether StagedTraversal can advance states of the solver.
bool has_staged_local_steps(const solvers::Solver& solver);

template <int D>
class StagedTraversal final : public LocalTraversal<D> {
 public:
  // As LocalTraversal, for solvers with has_staged_local_steps().
  using LocalTraversal<D>::LocalTraversal;

 private:
  using Base = LocalTraversal<D>;
  using Base::clock_, Base::coarsest_, Base::counts_, Base::deadlines_, Base::level, Base::levels_,
      Base::may_postpone_, Base::mesh_, Base::messages_, Base::solver_, Base::tasks_, Base::team_,
      Base::times_;

  // Levels first to last of the clock, which take a step together.
  struct Group {
    mesh::LevelExchange<D>& members;
    std::size_t first, last;
    mesh::CoarseInTime<D>* coarser;  // of the next coarser level, or null
    mesh::CoarseInTime<D>* kept;     // of level last, which finer halos read; or null
  };
  // The stage that a level is at.
  struct LevelStage {
    int stage = 0;
    mesh::CoarseInTime<D>* kept = nullptr;
  };

  void advance_levels(bool is_first) override;
  void end_step(std::size_t, int) override {}
  void advance_group(const Group& group);
  // Sends what halos before a stage need: skeletons of the stage before are updated.
  void send(const Group& group, int stage);
  // Fills the halos before a stage, and makes tasks of the members as their halos are complete.
  void fill(const Group& group, int stage);
  // Makes tasks of the members that do wait for messages, or of those that do not.
  void put_tasks(const Group& group, int stage, bool waiting);
  // task: a leaf of the mesh, or -1 - i for member i of the present group, a shadow.
  void update(std::int32_t task);

  std::vector<LevelStage> stages_;                   // by level of the clock
  const mesh::LevelExchange<D>* present_ = nullptr;  // the group whose shadows are updated
};

// The traversal for a solver and the memory where the patches live.
template <int D>
std::unique_ptr<LocalTraversal<D>> make_local_traversal(mesh::PatchMesh<D>& mesh,
                                                        const solvers::Solver& solver, ThreadTeam& team,
                                                        LeafObservers* observers = nullptr);

}  // namespace meander::tasks
