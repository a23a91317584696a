// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The leaves that no other rank waits for, updated with the help of devices. Skeletons (here: leaves on
// either side of a resolution change) are updated as the traversal meets them; all others are enclaves and go
// to a pool, from which the thread that sees a batch in it offloads that batch, and goes on. Threads that
// have nothing else to do work off the pool.

#include <cstdint>
#include <span>

#include "base/parallel.hpp"
#include "mesh/patch_mesh.hpp"
#include "tasks/offload_engine.hpp"
#include "tasks/task_pool.hpp"

namespace meander::tasks {

template <int D>
class EnclaveSweep {
 public:
  // All outlive the sweep.
  EnclaveSweep(mesh::PatchMesh<D>& mesh, const solvers::Solver& solver, ThreadTeam& team,
               OffloadEngine& engine)
      : mesh_(mesh), solver_(solver), team_(team), engine_(engine) {}

  // In this order. Halos of updated leaves are left to PatchMesh::finish_halo, with chunk_of() of their
  // place.
  void begin(int stage, double t, double dt, std::span<solvers::PatchStatus> status);
  // Traverses order()[border() ..], then works off all but a part `left` of the enclaves.
  void traverse(double left);
  // Until all leaves are updated.
  void finish();

  // A chunk of one leaf: its neighbours may be on their way through a device while it is updated.
  static Chunk chunk_of(std::size_t place) { return {place, place + 1}; }

  // Leaf updates so far, on the CPU or not.
  std::int64_t updates() const { return updates_; }

 private:
  bool is_enclave(std::size_t leaf) const;
  EnclaveTask task(std::size_t place) const;
  void update(const EnclaveTask& task) const;
  void done(const EnclaveTask& task, double seconds) const;

  mesh::PatchMesh<D>& mesh_;
  const solvers::Solver& solver_;
  ThreadTeam& team_;
  OffloadEngine& engine_;
  TaskPool pool_;
  UpdateCall call_;
  std::span<solvers::PatchStatus> status_;
  std::int64_t updates_ = 0;
};

}  // namespace meander::tasks
