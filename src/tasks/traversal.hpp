// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One time step as bulk-synchronous sweeps over a rank's leaves: every thread takes chunks of the Peano
// curve. The leaves that other ranks wait for are updated first, the others while messages travel.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "mesh/patch_mesh.hpp"
#include "solvers/solver.hpp"
#include "tasks/cpu_sweep.hpp"
#include "tasks/enclave_sweep.hpp"
#include "tasks/overlap.hpp"
#include "tasks/sweep_times.hpp"

namespace meander::tasks {

// The state of all leaves after a sweep. Bitwise identical for every number of threads.
struct SweepStatus {
  // Min over the leaves of all ranks of dx / max_rate: the step at Courant number 1; infinite without waves.
  double min_crossing = 0;
  bool failed = false;  // the state of some rank is inadmissible
  // Of this rank: sums over leaves of the counts in solvers::PatchStatus.
  std::int64_t first_order = 0;
  std::int64_t floored = 0;
  std::int64_t strayed = 0;
  // Of this rank: the first leaf with an inadmissible state, or -1.
  std::int32_t inadmissible = -1;
  // For each bound of the solver, the first leaf that reports a breach, or -1, and the report.
  struct Breached {
    std::int32_t leaf = -1;
    solvers::Breach breach;
  };
  std::array<Breached, solvers::most_bounds> breached;
};

template <int D>
class Traversal {
 public:
  // All outlive the traversal. The interior is updated by an EnclaveSweep if there is an engine, by a
  // CpuSweep otherwise.
  Traversal(mesh::PatchMesh<D>& mesh, const solvers::Solver& solver, ThreadTeam& team,
            OffloadEngine* engine = nullptr);

  // Advances all leaves from t by dt to the time t_next (t + dt, or the end of the step to which that was
  // rounded; halos belong to t_next). Requires full halos; leaves full halos unless the new state is
  // inadmissible. Collective.
  SweepStatus advance(double t, double dt, double t_next);

  // The status of the present state. Collective.
  SweepStatus inspect();

  // Lifts all interiors to the solver's floors, which prolongation does not respect. Halos are stale
  // afterwards. Collective.
  SweepStatus enforce_floors();

  const SweepTimes& times() const { return times_; }
  // Overlap of messages and updates. Messages are under way from the time this rank has sent its own until it
  // has noticed the arrival of those of its neighbours; never on one rank.
  OverlapTime message_overlap() const { return messages_.time(context_.team.size()); }
  // Null without engine.
  const EnclaveSweep<D>* enclaves() const { return enclaves_; }

 private:
  enum class LeafGroup { border, interior };
  void update_border(const SweepCall& call);
  void start_flux_exchange();
  void finish_flux_exchange();
  void correct(LeafGroup group, double dt);
  void start_halo_exchange();
  void fill_halos(mesh::Arrival arrival, double t);
  void finish_halo_exchange(double t);
  SweepStatus merge() const;
  SweepStatus merge_over_ranks() const;

  OverlapMeter messages_;
  const SweepContext<D> context_;
  mesh::PatchMesh<D>& mesh_;
  const solvers::Solver& solver_;
  std::unique_ptr<InteriorSweep<D>> interior_;
  const EnclaveSweep<D>* enclaves_ = nullptr;  // interior_, or null
  std::vector<solvers::PatchStatus> status_;
  SweepTimes times_;
};

}  // namespace meander::tasks
