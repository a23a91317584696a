// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One step of the coarsest level with local time steps: finer levels take several steps in it, by LevelClock.
// At each tick: halos of the levels that begin a step, then the updates of leaves that are due at its end; at
// its end refluxing of the levels whose step ends, except the finest. Other updates (enclaves of coarser
// levels) wait until their deadline (level_tasks.hpp) and are done while messages are under way.
// staged_traversal.hpp has the tick of solvers with several stages.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/overlap.hpp"
#include "base/thread_team.hpp"
#include "mesh/patch_mesh.hpp"
#include "solvers/solver.hpp"
#include "tasks/leaf_observer.hpp"
#include "tasks/level_clock.hpp"
#include "tasks/level_tasks.hpp"
#include "tasks/status.hpp"
#include "tasks/sweep_times.hpp"

namespace meander::tasks {

// The choice of steps on finer levels. Levels count from that of the coarsest leaves.
struct LocalStepRule {
  int subcycled = 0;                     // the number of levels, the finest, that may have ratios > 1
  std::span<const std::int64_t> leaves;  // of all ranks, by level
  // The longest stable step of a level at time t by its crossing time (solvers::Status::crossing).
  std::function<double(std::size_t level, double crossing, double t)> limit;
  // Sets the step data of the solver for the levels that begin a step: called at each tick but the first,
  // before limit(). All levels from clock.first() on stand at its time. If it is set, all updates are done in
  // the tick in which their level begins its step, by the step data of this tick. May be empty. Collective.
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
  // All outlive this. For conservative solvers of means with one stage, on patches in host memory. Observers also see
  // leaves between their update and the flux correction at the end of their step.
  LocalTraversal(mesh::PatchMesh<D>& mesh, const solvers::Solver& solver, ThreadTeam& team,
                 LeafObservers* observers = nullptr)
      : mesh_(mesh),
        solver_(solver),
        team_(team),
        observers_(observers != nullptr ? *observers : none_),
        tasks_(team, messages_) {}
  virtual ~LocalTraversal() = default;
  LocalTraversal(const LocalTraversal&) = delete;
  LocalTraversal& operator=(const LocalTraversal&) = delete;

  // Advances all leaves from t by dt to t_next, as Traversal::advance(), with these ratios of the levels below
  // the coarsest. At each later step of a level, the ratios of finer levels are chosen anew from their latest
  // crossing times. solvers::Status::crossing is merged over ranks. Collective.
  solvers::Status advance(double t, double dt, double t_next, std::span<const int> ratios,
                          const LocalStepRule& rule);

  // Updates of leaves by the last advance(), of all ranks.
  std::int64_t leaf_updates() const { return leaf_updates_; }
  const LocalStepCounts& counts() const { return counts_; }
  LocalStepCounts& counts() { return counts_; }
  const SweepTimes& times() const { return times_; }
  // As Traversal::message_overlap(), for halos, refined cells, fluxes and the choice of ratios; messages count as
  // under way from the time this rank has done what does not need them, except tasks.
  OverlapTime message_overlap() const { return messages_.time(team_.size()); }
  // For tests: LevelTasks::shuffle().
  void shuffle_tasks(std::uint64_t seed) { tasks_.shuffle(seed); }

 protected:
  // Begins a step of level clock_[first()] and of all finer levels. On return all updates are done that the end
  // of the tick requires: of the levels from clock_.ending() on, and of leaves that halos of level
  // clock_.ending() read. The halos of leaves are full if the tick is the first one.
  virtual void advance_levels(bool is_first);
  // At the end of a step of that level, in which the next finer level took that number of steps.
  virtual void end_step(std::size_t of_clock, int fine_steps);
  // The ratios of the levels finer than the first of the tick. Empty if the state of any rank is inadmissible.
  std::vector<int> choose(const LocalStepRule& rule);

  // The status of this rank's leaves over the updates of advance() so far.
  virtual solvers::Status merged();

  int level(std::size_t of_clock) const { return coarsest_ + static_cast<int>(of_clock); }
  // A stage of the present step of a level within the step of the next coarser one, if there is one.
  solvers::ShortStage stage_at(std::size_t of_clock, int stage) const {
    const LevelClock::Level& now = clock_[of_clock];
    return {now.ratio, now.substep, stage, of_clock == 0 ? 0.0 : clock_[of_clock - 1].dt};
  }
  // Adds the status of a leaf after a step of its level.
  void add_status(std::size_t leaf, const solvers::PatchStatus& status);
  // Waits for messages (NeighbourMessages, MaxReduction) and works on tasks meanwhile.
  template <class Messages>
  void wait_for(Messages& messages, const char* trace_name);

  mesh::PatchMesh<D>& mesh_;
  const solvers::Solver& solver_;
  ThreadTeam& team_;
  LeafObservers none_, &observers_;
  LevelClock clock_;
  int coarsest_ = 0;
  std::size_t levels_ = 0;
  std::vector<solvers::PatchStatus> status_;
  std::int64_t leaf_updates_ = 0;
  LocalStepCounts counts_;
  SweepTimes times_;
  OverlapMeter messages_;
  LevelTasks tasks_;
  std::vector<std::size_t> deadlines_;  // of leaves; empty: all updates are done in the tick that begins them
  bool may_postpone_ = true;            // updates beyond that tick

 private:
  // Begins a step of the coarsest level: sorts the leaves by level and role.
  void start_tasks();
  // Makes tasks of the leaves of the levels that begin a step and of which chosen(leaf) is true.
  template <class Chosen>
  void put_tasks(const Chosen& chosen);
  void update(mesh::LocalSteps<D>& steps, std::int32_t leaf);
  // The status of the leaves whose last step had to be complete by the beginning of this tick: it does not
  // depend on the order of tasks.
  solvers::Status due();

  // By level of the clock.
  struct LeavesOfLevel {
    std::vector<std::int32_t> skeletons, enclaves;
  };
  std::vector<LeavesOfLevel> leaves_;
};

}  // namespace meander::tasks
