// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One time step as bulk-synchronous sweeps over a rank's leaves (PatchWork). The leaves that other ranks wait
// for are updated first, the others while messages travel.

#include <memory>

#include "base/overlap.hpp"
#include "base/thread_team.hpp"
#include "mesh/patch_mesh.hpp"
#include "solvers/solver.hpp"
#include "tasks/enclave_sweep.hpp"
#include "tasks/patch_work.hpp"
#include "tasks/status.hpp"
#include "tasks/sweep_times.hpp"

namespace meander::tasks {

// The halos after a step. Deferred ones are faster: the next step fills them in cache.
enum class Halos { full, deferred };

template <int D>
class Traversal {
 public:
  // All outlive the traversal. Patches that live on a device are updated there; otherwise the engine, if
  // there is one, offloads batches of leaves. Sweeps on the host call the observers, if there are any.
  Traversal(mesh::PatchMesh<D>& mesh, const solvers::Solver& solver, ThreadTeam& team,
            offload::Engine* engine = nullptr, LeafObservers* observers = nullptr);

  // Advances all leaves from t by dt to the time t_next (t + dt, or the end of the step to which that was
  // rounded; halos belong to t_next). Requires full halos, or those of a deferring advance(). Leaves full halos unless the
  // new state is inadmissible; if deferring, PatchMesh::complete_halos() or the next call fills those prolonged or received.
  // Collective.
  solvers::Status advance(double t, double dt, double t_next, Halos halos = Halos::full);

  // The status of the present state. Collective.
  solvers::Status inspect();

  // Lifts all interiors to the solver's floors, which prolongation does not respect. Halos are stale
  // afterwards. Collective.
  solvers::Status enforce_floors();

  const SweepTimes& times() const { return times_; }
  // Overlap of messages and updates. Messages are under way from the time this rank has sent its own until it
  // has noticed the arrival of those of its neighbours; never on one rank.
  OverlapTime message_overlap() const { return messages_.time(context_.team.size()); }
  // Null without engine.
  const EnclaveSweep<D>* enclaves() const { return enclaves_; }

 private:
  void correct(LeafGroup group, double dt);
  void fill_halos(mesh::Arrival arrival, double t);

  OverlapMeter messages_;
  LeafObservers none_;
  const SweepContext<D> context_;
  mesh::PatchMesh<D>& mesh_;
  const solvers::Solver& solver_;
  std::unique_ptr<PatchWork<D>> work_;
  const EnclaveSweep<D>* enclaves_ = nullptr;
  SweepTimes times_;
};

}  // namespace meander::tasks
