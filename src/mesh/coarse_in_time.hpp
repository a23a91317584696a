// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What halos of finer levels read of the leaves of one level, at any time within the step of that level, from
// what is kept of the leaves during their update:
// - means: linear between the states before the update and after it, before refluxing:
//   q_old + theta (q_new - q_old). A mean of admissible states is admissible, and equal states are reproduced
//   exactly;
// - point values: dense output (solvers/dense_output.hpp) from the rates of the first stages, with
//   constraints enforced.
// States are combined in time on coarse volumes, before prolongation.

#include <span>
#include <vector>

#include "mesh/cut_tree.hpp"
#include "mesh/patch_pool.hpp"
#include "solvers/dense_output.hpp"

namespace meander::mesh {

template <int D>
class CoarseInTime {
 public:
  // For the leaves of `level` of the mesh; all outlive this, `mesh` what it refers to. A solver of point
  // values has dense output. On a device: sources only, without slots. Throws gpu::OutOfMemory (several
  // ranks: parallel::AgreedFailure). Collective.
  CoarseInTime(const TreePatches<D>& mesh, int level, const solvers::Solver& solver,
               const solvers::PatchLayout& layout, gpu::Resource& memory, Residence residence);

  // A leaf that finer halos read.
  struct Source {
    std::int32_t leaf = 0;
    solvers::Box<D> box{};   // of its interior, that is read
    std::size_t kept = 0;    // offset of what is kept, in a block of kept() doubles
    double* slot = nullptr;  // of the state at the time of evaluate(), as far as it is read; null on a device
  };
  std::span<const Source> sources() const { return sources_; }  // by leaf
  std::size_t kept() const { return doubles_; }
  // Null if no finer halo reads the leaf.
  const Source* find(std::int32_t leaf) const;
  bool reads(std::int32_t leaf) const { return find(leaf) != nullptr; }
  // Whether a source has all interior volumes that lie in a box of the leaf's slot.
  bool provides(std::int32_t leaf, const solvers::Box<D>& box) const;

  // Means: before the update of a leaf. Point values: after its update by a stage. No effect on leaves that
  // are not read. Calls for different leaves may run concurrently.
  void keep_state(std::int32_t leaf);
  void keep_rates(std::int32_t leaf, int stage);

  // After the update of the leaves by the level's step: sets the slots to the state at a stage of a shorter
  // step within it. Means: at the beginning of the shorter step.
  void evaluate(const solvers::ShortStage& at, ThreadTeam& team) const;

  // Host memory of states.
  std::size_t bytes() const {
    return pool_.capacity() * pool_.slot_doubles() * sizeof(double) + kept_.size() * sizeof(double);
  }

 private:
  const solvers::PatchTask& patch(std::int32_t leaf) const {
    return patches_[static_cast<std::size_t>(leaf)];
  }
  void interpolate(const Source& source, double theta) const;

  const solvers::Solver& solver_;
  solvers::PatchLayout layout_;
  std::span<const solvers::PatchTask> patches_;
  PatchPool pool_;
  std::vector<Source> sources_;
  std::size_t doubles_ = 0;
  std::vector<double> kept_;  // doubles_, or none on a device
};

}  // namespace meander::mesh
