// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One time step as bulk-synchronous sweeps over a rank's leaves: every thread takes chunks of the Peano
// curve. The leaves that other ranks wait for go first, and messages travel while the rest is updated.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "mesh/patch_mesh.hpp"
#include "solvers/solver.hpp"
#include "tasks/enclave_sweep.hpp"
#include "tasks/overlap.hpp"

namespace meander::tasks {

// The state of all leaves after a sweep. Bitwise the same for every number of threads.
struct SweepStatus {
  // Min over the leaves of all ranks of dx / max_rate: the step at Courant number 1; infinite without waves.
  double min_crossing = 0;
  bool failed = false;  // some rank's state is not admissible
  // Of this rank: sums over leaves of what solvers::PatchStatus counts, and the first leaf whose state is not
  // admissible, or -1.
  std::int64_t first_order = 0;
  std::int64_t floored = 0;
  std::int64_t strayed = 0;
  std::int32_t inadmissible = -1;
  // For each of the solver's bounds, the first leaf that says it was breached, and what it says; -1: none.
  struct Breached {
    std::int32_t leaf = -1;
    solvers::Breach breach;
  };
  std::array<Breached, solvers::most_bounds> breached;
};

// Seconds spent in the parts of the steps so far, of the slowest thread.
struct SweepTimes {
  double update = 0, flux_correction = 0, halo = 0;
  double waiting = 0;  // for messages and reductions
};

template <int D>
class Traversal {
 public:
  // All outlive the traversal. With an engine, leaves beyond the border are updated by an EnclaveSweep.
  Traversal(mesh::PatchMesh<D>& mesh, const solvers::Solver& solver, ThreadTeam& team,
            OffloadEngine* engine = nullptr)
      : mesh_(mesh), solver_(solver), team_(team) {
    if (engine != nullptr)
      enclaves_ = std::make_unique<EnclaveSweep<D>>(mesh, solver, team, *engine, messages_);
  }

  // Advances all leaves from t by dt, to the time that is called t_next (t + dt, perhaps rounded to where the
  // step was to end: halos belong to it). Halos are full on entry and, unless the new state is inadmissible,
  // on exit. Collective.
  SweepStatus advance(double t, double dt, double t_next);

  // The status of the state at hand. Collective.
  SweepStatus inspect();

  // Lifts all interiors to the solver's floors (prolongation knows nothing of them); halos are stale
  // afterwards. Collective.
  SweepStatus enforce_floors();

  const SweepTimes& times() const { return times_; }
  // What updates hid of the messages of steps: under way from when this rank has sent its own until those of
  // its neighbours were seen to have arrived. None on one rank.
  OverlapTime messages() const { return messages_.time(team_.size()); }
  // Null without engine.
  const EnclaveSweep<D>* enclaves() const { return enclaves_.get(); }
  // Updates of this rank's leaves that went by way of an engine's pool, or could have.
  std::int64_t updates_with_engine() const { return enclaves_ ? enclaves_->updates() : 0; }

 private:
  // Pieces of mesh.order() that are updated together, each cut over the threads.
  using Pass = Chunk;
  void update(const Pass& pass, const char* name, int stage, double t, double dt);
  void correct(bool border, double dt);
  void finish_halos(const Pass& pass, bool receiving, double t);
  template <class Body>
  void for_chunks(const Pass& pass, const char* name, const Body& body);
  mesh::UpdateOrder update_order(std::size_t place, const Pass& pass, const Chunk& chunk) const {
    return enclaves_ ? enclaves_->update_order(place) : mesh::UpdateOrder{pass, chunk};
  }
  SweepStatus merge() const;
  SweepStatus merge_over_ranks() const;

  mesh::PatchMesh<D>& mesh_;
  const solvers::Solver& solver_;
  ThreadTeam& team_;
  Overlap messages_;
  std::unique_ptr<EnclaveSweep<D>> enclaves_;
  std::vector<solvers::PatchStatus> status_;
  SweepTimes times_;
};

}  // namespace meander::tasks
