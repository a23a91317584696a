// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a step (step.hpp) does to the patches of a rank, where they are: HostPlace for patches in host memory, with
// offloading in batches if there is an engine, DevicePlace for patches in the memory of a device. Step decides what is
// done and in which order, a place how.

#include <functional>

#include "base/timer.hpp"
#include "mesh/patch_mesh.hpp"
#include "solvers/dense_output.hpp"
#include "tasks/interior_sweep.hpp"
#include "tasks/level_clock.hpp"
#include "tasks/status.hpp"

namespace meander::tasks {

enum class LeafGroup { border, interior };

// Levels of a clock that advance together within a tick: all that begin a step (means), or those of them with the same
// step (point values).
struct LevelGroup {
  std::size_t first = 0, last = 0;
  bool has_halos = false;  // the halos before the first stage are full
};

// Work on a level of the tree.
using LevelWork = std::function<void(int level)>;

template <int D>
class Place {
 public:
  Place() = default;
  virtual ~Place() = default;
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  // ---- A stage of a step of all leaves, in this order.
  // Begins the stage and receives: then the leaves that other ranks wait for.
  virtual void update_border(const SweepCall& call) = 0;
  // Only for conservative solvers: sends the fluxes; updates leaves meanwhile; waits for the fluxes of other
  // ranks; corrects the leaves of a group.
  virtual void start_fluxes() = 0;
  virtual void update_during_fluxes() = 0;
  virtual void finish_fluxes() = 0;
  virtual void correct(LeafGroup group, double dt) = 0;
  // Sends halos; on return from update_rest() all leaves are updated.
  virtual void start_halos() = 0;
  virtual void update_rest() = 0;
  // Fills the halos for time t that need no messages; waits for messages; fills those that need them.
  virtual void fill(mesh::Arrival arrival, double t) = 0;
  virtual void finish_halos(double t) = 0;

  // ---- Steps by level.
  // A step of the coarsest level begins, level `coarsest` of the tree, by a clock that lives until its end.
  // may_postpone: updates may wait until their deadline (level_tasks.hpp). at_time: LocalStepRule::at_time.
  virtual void start_levels(const LevelClock& clock, int coarsest, bool may_postpone,
                            const LevelWork& at_time) = 0;
  virtual void start_tick() = 0;
  // A stage of the levels of a group, with the halos before it; of point values: after PatchMesh::level_exchange(). The
  // levels of a tick come coarsest first.
  virtual void advance(const LevelGroup& group, int stage) = 0;
  // On return all updates are done that the end of the tick requires: of the levels from clock.ending() on, and of
  // leaves that halos of level clock.ending() read.
  virtual void finish_tick() = 0;
  // At the end of a step of that level, in which the next finer level took that number of steps: flux correction.
  virtual void reflux(std::size_t of_clock, int fine_steps) = 0;
  // The status of the leaves whose last step had to be complete by the beginning of this tick: it does not depend on
  // the order of tasks.
  virtual solvers::Status due() { return status(); }
  virtual void wait_for(parallel::MaxReduction& reduction) = 0;
  virtual void shuffle_tasks(std::uint64_t) {}

  // The status of this rank's leaves after the last stage, or over the updates since start_levels().
  virtual solvers::Status status() = 0;
  // Whether status() is best asked for after all halos are filled, because it waits.
  virtual bool fills_before_status() const { return false; }
  // The status of the present state, and that after its interiors were lifted to the solver's floors. first: empty, or on the
  // host called for each leaf before.
  virtual solvers::Status inspect(const LeafWork& first) = 0;
  virtual solvers::Status enforce_floors() = 0;
};

// A stage of the present step of a level within the step of the next coarser one, if there is one.
inline solvers::ShortStage stage_of(const LevelClock& clock, std::size_t level, int stage) {
  const LevelClock::Level& now = clock[level];
  return {now.ratio, now.substep, stage, level == 0 ? 0.0 : clock[level - 1].dt};
}

// The time of the halos before a stage of a step.
inline double time_before(int stage, const LevelClock::Level& step, const solvers::Traits& traits) {
  return stage == 0 ? step.t : step.t + traits.time_after(stage - 1) * step.dt;
}

}  // namespace meander::tasks
