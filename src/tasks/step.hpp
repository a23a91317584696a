// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One time step of the mesh, wherever its patches are (place.hpp).
//
// A global step advances all leaves by the same dt, stage by stage. The leaves that other ranks wait for are updated
// first, the others while messages travel.
//
// A step with local time steps is one of the coarsest level: finer levels take several steps in it, by LevelClock. At
// each tick: halos of the levels that begin a step, then the updates of leaves that are due at its end; at its end
// flux correction of the levels whose step ends, except the finest. Other updates wait until their deadline
// (level_tasks.hpp) and are done while messages are under way. Solvers of means update all levels of a tick at once.
// Runge-Kutta solvers of point values advance group by group, the coarsest first: levels with the same step stage by
// stage, as a global step does, with the shadows (mesh/cut_tree.hpp) of the finest of them. So do solvers of means if
// LocalStepRule::change changes states between them.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/overlap.hpp"
#include "base/thread_team.hpp"
#include "mesh/patch_mesh.hpp"
#include "solvers/solver.hpp"
#include "tasks/enclave_sweep.hpp"
#include "tasks/leaf_observer.hpp"
#include "tasks/level_clock.hpp"
#include "tasks/place.hpp"
#include "tasks/status.hpp"
#include "tasks/sweep_times.hpp"

namespace meander::tasks {

// The halos after a global step. Deferred ones are faster: the next step fills them in cache. none: the caller will change the
// interiors, and fill halos before the next step.
enum class Halos { full, deferred, none };

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
  // Changes the interiors of the levels from `level` on, which begin a step, and with it those of finer levels, before halos
  // are filled for the update of these levels. Called for each level whose step is shorter than that of the next coarser one,
  // and for the first of a tick, whose ratios are known. With it the halos before the first tick are not read, and none are
  // left after the last. Requires begin. May be empty. Collective.
  std::function<void(const LevelClock& clock, std::size_t level)> change = {};
  // With `change`: what the leaves of a level of the tree lack of it in the states within their step that finer halos read, in the
  // slots of mesh::CoarseInTime or DeviceLocalSteps.
  LevelWork at_time = {};
};

// The local steps taken so far, equal on all ranks.
struct LocalStepCounts {
  std::vector<std::int64_t> steps;  // of each level of the mesh, counted from the root
  std::int64_t large_ratios = 0;    // choices of a ratio beyond planned_ratio
  std::int64_t shadow_updates = 0;  // of shadows, in patches; not counted as leaves
};

template <int D>
class Step {
 public:
  // All outlive this. Patches that live on a device are updated there; otherwise the engine, if there is one,
  // offloads batches of leaves in global steps. The host calls the observers, if there are any; in local steps they
  // also see leaves between their update and the flux correction at the end of their step.
  Step(mesh::PatchMesh<D>& mesh, const solvers::Solver& solver, ThreadTeam& team,
       offload::Engine* engine = nullptr, LeafObservers* observers = nullptr);

  // Advances all leaves from t by dt to the time t_next (t + dt, or the end of the step to which that was
  // rounded; halos belong to t_next). Requires full halos, or those of a deferring advance(). Leaves full halos
  // unless the new state is inadmissible; if deferring, PatchMesh::complete_halos() or the next call fills those
  // prolonged or received; none, for solvers with one stage on the host, leaves them as they are. Collective.
  solvers::Status advance(double t, double dt, double t_next, Halos halos = Halos::full);

  // The same with these ratios of the levels below the coarsest, and full halos before and after unless there is rule.change.
  // For conservative solvers of means with one stage, or with solvers::has_staged_local_steps(). At each later step of a level,
  // the ratios of finer levels are chosen anew from their latest crossing times. Collective.
  solvers::Status advance(double t, double dt, double t_next, std::span<const int> ratios,
                          const LocalStepRule& rule);

  // Without an engine: makes a change of all leaves, on the host while they are in cache, and exchanges halos of time t, which are
  // as after a deferring advance(). The halos before are not read. Collective.
  void change(const LeafChange& change, double t);

  // The status of the present state, after a change in the same way. Collective.
  solvers::Status inspect(const LeafChange& first = {});

  // Lifts all interiors to the solver's floors, which prolongation does not respect. Halos are stale
  // afterwards. Collective.
  solvers::Status enforce_floors();

  const SweepTimes& times() const { return times_; }
  // Overlap of messages and updates. Messages are under way from the time this rank has sent its own until it has
  // noticed the arrival of those of its neighbours; never on one rank. In local steps a reduction counts, too.
  OverlapTime message_overlap() const { return messages_.time(context_.team.size()); }
  // Null without engine.
  const EnclaveSweep<D>* enclaves() const { return enclaves_; }
  // Updates of leaves by the last advance() with ratios, of all ranks; what these calls have done so far.
  std::int64_t leaf_updates() const { return leaf_updates_; }
  const LocalStepCounts& counts() const { return counts_; }
  LocalStepCounts& counts() { return counts_; }
  // For tests: LevelTasks::shuffle().
  void shuffle_tasks(std::uint64_t seed) { place_->shuffle_tasks(seed); }

 private:
  // The steps of all levels in one of the coarsest, which is a level of the tree. Returns false on all ranks if the
  // state of any was found to be inadmissible.
  bool advance_levels(int coarsest, std::span<const int> ratios, const LocalStepRule& rule);
  // The ratios of the levels finer than the first of the tick. Empty if the state of any rank is inadmissible.
  std::vector<int> choose(int coarsest, const LocalStepRule& rule);
  void correct(LeafGroup group, double dt);
  void finish_halos(double t);
  void fill_halos(mesh::Arrival arrival, double t);

  SweepTimes times_;
  OverlapMeter messages_;
  LeafObservers none_;
  const SweepContext<D> context_;
  mesh::PatchMesh<D>& mesh_;
  mesh::StepExchange<D>& exchange_;
  const solvers::Solver& solver_;
  std::unique_ptr<Place<D>> place_;
  const EnclaveSweep<D>* enclaves_ = nullptr;
  LevelClock clock_;
  std::int64_t leaf_updates_ = 0;
  LocalStepCounts counts_;
};

}  // namespace meander::tasks
