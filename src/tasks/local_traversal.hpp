// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One step of the coarsest level with local time steps: finer levels take several steps in it, by LevelClock.
// At each tick: halos of the levels that begin a step, then updates of their leaves; at its end refluxing of
// the levels whose step ends, except the finest. Sweeps are bulk-synchronous, without overlap of messages and
// updates. staged_traversal.hpp has the tick of solvers with several stages.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "mesh/patch_mesh.hpp"
#include "solvers/solver.hpp"
#include "tasks/level_clock.hpp"
#include "tasks/sweep_status.hpp"
#include "tasks/sweep_times.hpp"

namespace meander::tasks {

// The choice of steps on finer levels. Levels count from that of the coarsest leaves.
struct LocalStepRule {
  int subcycled = 0;                     // the number of levels, the finest, that may have ratios > 1
  std::span<const std::int64_t> leaves;  // of all ranks, by level
  // The longest stable step of a level at time t by its crossing time (SweepStatus::crossing).
  std::function<double(std::size_t level, double crossing, double t)> limit;
  // Sets the step data of the solver for the levels that begin a step: called at each tick but the first,
  // before limit(). All levels from clock.first() on stand at its time. May be empty. Collective.
  std::function<void(const LevelClock& clock)> begin = {};
};

// The steps taken so far, equal on all ranks.
struct LocalStepCounts {
  std::vector<std::int64_t> steps;  // of each level of the mesh, counted from the root
  std::int64_t large_ratios = 0;    // choices of a ratio beyond planned_ratio
  std::int64_t shadow_updates = 0;  // of shadows (mesh/cut_tree.hpp), in patches; not counted as leaves
};

template <int D>
class LocalTraversal {
 public:
  // Both outlive this. For conservative solvers of means with one stage, on patches in host memory.
  LocalTraversal(mesh::PatchMesh<D>& mesh, const solvers::Solver& solver, ThreadTeam& team)
      : mesh_(mesh), solver_(solver), team_(team) {}
  virtual ~LocalTraversal() = default;
  LocalTraversal(const LocalTraversal&) = delete;
  LocalTraversal& operator=(const LocalTraversal&) = delete;

  // Advances all leaves from t by dt to t_next, as Traversal::advance(), with these ratios of the levels below
  // the coarsest. At each later step of a level, the ratios of finer levels are chosen anew from their latest
  // crossing times. SweepStatus::crossing is merged over ranks. Collective.
  SweepStatus advance(double t, double dt, double t_next, std::span<const int> ratios,
                      const LocalStepRule& rule);

  // Updates of leaves by the last advance(), of all ranks.
  std::int64_t leaf_updates() const { return leaf_updates_; }
  const LocalStepCounts& counts() const { return counts_; }
  LocalStepCounts& counts() { return counts_; }
  const SweepTimes& times() const { return times_; }

 protected:
  struct Levels {
    int coarsest = 0, finest = 0;
  };
  // The levels with leaves on any rank.
  virtual Levels levels_of_mesh();
  // One step of level clock_[first()] and of all finer levels, from the beginning of the tick. The halos of
  // leaves are full if the tick is the first one.
  virtual void advance_levels(bool is_first);
  // At the end of a step of that level, in which the next finer level took that number of steps.
  virtual void end_step(std::size_t of_clock, int fine_steps);

  int level(std::size_t of_clock) const { return coarsest_ + static_cast<int>(of_clock); }
  // Adds the status of a leaf after a step of its level.
  void add_status(std::size_t leaf, const solvers::PatchStatus& status);

  mesh::PatchMesh<D>& mesh_;
  const solvers::Solver& solver_;
  ThreadTeam& team_;
  LevelClock clock_;
  int coarsest_ = 0;
  std::size_t levels_ = 0;
  std::vector<solvers::PatchStatus> status_;
  std::int64_t leaf_updates_ = 0;
  LocalStepCounts counts_;
  SweepTimes times_;

 private:
  // The ratios of the levels finer than the first of the tick. Empty if the state of any rank is inadmissible.
  std::vector<int> choose(const LocalStepRule& rule);
  void update(mesh::LocalSteps<D>& steps);
  SweepStatus merged() const;
};

}  // namespace meander::tasks
