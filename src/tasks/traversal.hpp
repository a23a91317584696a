// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One time step as bulk-synchronous sweeps over the leaves: every thread takes one chunk of the Peano curve.

#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "mesh/patch_mesh.hpp"
#include "solvers/solver.hpp"

namespace meander::tasks {

// The state of all leaves after a sweep. Bitwise the same for every number of threads.
struct SweepStatus {
  double min_crossing =
      0;  // min over leaves of dx / max_rate: the step at Courant number 1; infinite without waves
  std::int64_t first_order = 0;  // sums over leaves of what solvers::PatchStatus counts
  std::int64_t floored = 0;
  std::int32_t inadmissible = -1;  // the first leaf whose state is not admissible, or -1
};

// Seconds spent in the parts of the steps so far, of the slowest thread.
struct SweepTimes {
  double update = 0, flux_correction = 0, halo = 0;
  double waiting = 0;  // for messages and reductions
};

template <int D>
class Traversal {
 public:
  // All three outlive the traversal.
  Traversal(mesh::PatchMesh<D>& mesh, const solvers::Solver& solver, ThreadTeam& team)
      : mesh_(mesh), solver_(solver), team_(team) {}

  // Advances all leaves from t by dt. Halos are full on entry and, unless the new state is inadmissible, on
  // exit.
  SweepStatus advance(double t, double dt);

  // The status of the state at hand.
  SweepStatus inspect();

  // Lifts all interiors to the solver's floors (prolongation knows nothing of them); halos are stale
  // afterwards.
  SweepStatus enforce_floors();

  void fill_halos(double t);

  const SweepTimes& times() const { return times_; }

 private:
  SweepStatus merge() const;

  mesh::PatchMesh<D>& mesh_;
  const solvers::Solver& solver_;
  ThreadTeam& team_;
  std::vector<solvers::PatchStatus> status_;
  SweepTimes times_;
};

}  // namespace meander::tasks
