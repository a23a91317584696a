// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The leaves of one level beside finer ones, at the times of the stages of finer levels within the level's
// step: what finer halos are prolonged from. Combined in time before prolongation (solvers/dense_output.hpp).

#include <span>
#include <vector>

#include "mesh/cut_tree.hpp"
#include "mesh/patch_pool.hpp"
#include "solvers/dense_output.hpp"
#include "solvers/local_step_solver.hpp"

namespace meander {
class ThreadTeam;
}

namespace meander::mesh {

template <int D>
class DenseStates {
 public:
  // For the leaves of `level` of the mesh; patches: of its own leaves, which outlive this. Throws
  // gpu::OutOfMemory (several ranks: parallel::AgreedFailure). Collective.
  DenseStates(const DistributedTree<D>& tree, const LocalView<D>& view, const solvers::PatchLayout& layout,
              gpu::Resource& memory, std::span<const solvers::PatchTask> patches, int level,
              Residence residence);

  // The slot of the combined state of a leaf; null if no finer halo reads it.
  double* slot(std::int32_t leaf) const;
  bool reads(std::int32_t leaf) const { return find(leaf) != nullptr; }

  // After the update of a leaf by a stage. No effect on other leaves. Calls for different leaves may run
  // concurrently.
  void keep(std::int32_t leaf, int stage);

  // After the level's step: the combined states of all leaves, with their constraints enforced, as far as
  // finer halos read them.
  void combine(const solvers::LocalStepSolver& solver, const solvers::ShortStage& at, ThreadTeam& team) const;

  // For work on devices: the leaves that finer halos read, by leaf, and the size of their rates in doubles.
  struct Source {
    std::int32_t leaf = 0;
    solvers::Box<D> box{};  // what finer halos read
    std::size_t kept = 0;   // offset of its rates
    double* slot = nullptr;
  };
  std::span<const Source> sources() const { return sources_; }
  std::size_t kept() const { return doubles_; }

  std::size_t bytes() const {
    return pool_.capacity() * pool_.slot_doubles() * sizeof(double) + kept_.size() * sizeof(double);
  }

 private:
  const Source* find(std::int32_t leaf) const;

  solvers::PatchLayout layout_;
  std::span<const solvers::PatchTask> patches_;
  PatchPool pool_;
  std::vector<Source> sources_;  // by leaf
  std::size_t doubles_ = 0;
  std::vector<double> kept_;  // doubles_, or none on a device
};

}  // namespace meander::mesh
