// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The leaves that no other rank waits for, updated with the help of devices. Skeletons (here: leaves on
// either side of a resolution change) are updated as the traversal meets them; all others are enclaves and go
// to a pool, from which the thread that sees a batch in it offloads that batch, and goes on. Threads that
// have nothing else to do work off the pool.

#include <cstdint>
#include <span>

#include "base/thread_team.hpp"
#include "mesh/patch_mesh.hpp"
#include "tasks/offload_engine.hpp"
#include "tasks/overlap.hpp"
#include "tasks/split.hpp"
#include "tasks/task_pool.hpp"

namespace meander::tasks {

template <int D>
class EnclaveSweep {
 public:
  // All outlive the sweep. `messages`: what updates hide of them is added there.
  EnclaveSweep(mesh::PatchMesh<D>& mesh, const solvers::Solver& solver, ThreadTeam& team,
               OffloadEngine& engine, Overlap& messages)
      : mesh_(mesh),
        solver_(solver),
        team_(team),
        engine_(engine),
        messages_(messages),
        split_(engine.options().split, engine.options().batch, team.size()) {}

  // In this order. Halos that PatchMesh::exchange_updated() leaves out with update_order() are left to
  // PatchMesh::finish_halo, with the same.
  void begin(int stage, double t, double dt, std::span<solvers::PatchStatus> status);
  // Traverses order()[border() ..].
  void traverse();
  // Works off enclaves until the messages under way have arrived, if this rank sees that while it works.
  void work_while_messages_travel();
  // Until all leaves are updated.
  void finish();

  // Two passes, of the leaves that other ranks wait for and of the others; in chunks of one leaf: its
  // neighbours may be on their way through a device while it is updated.
  mesh::UpdateOrder update_order(std::size_t place) const {
    const std::size_t border = mesh_.border();
    return {place < border ? Chunk{0, border} : Chunk{border, mesh_.size()}, {place, place + 1}};
  }

  // Leaf updates so far, on the CPU or not.
  std::int64_t updates() const { return updates_; }
  std::int64_t enclaves() const { return enclaves_; }  // of these, on the CPU or not
  const SplitRates& rates() const { return split_.rates(); }

 private:
  bool is_enclave(std::size_t leaf) const;
  EnclaveTask task(std::size_t place) const;
  bool offload();
  bool update_next(bool whoever);
  void update(const EnclaveTask& task);
  void done(const EnclaveTask& task, double seconds) const;

  mesh::PatchMesh<D>& mesh_;
  const solvers::Solver& solver_;
  ThreadTeam& team_;
  OffloadEngine& engine_;
  Overlap& messages_;
  Split split_;
  TaskPool pool_;
  UpdateCall call_;
  std::span<solvers::PatchStatus> status_;
  std::int64_t updates_ = 0, enclaves_ = 0;
  double under_way_before_ = 0;  // seconds of batches, at the beginning of the sweep
};

}  // namespace meander::tasks
