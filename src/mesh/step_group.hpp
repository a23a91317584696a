// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Levels that advance together, stage by stage, with local time steps of point values: from a coarsest to a
// finest one, with the shadows of the latter (cut_tree.hpp). Halos beside the next coarser level, which is at the
// end of its step, are prolonged from its dense states.

#include <span>
#include <vector>

#include "mesh/cut_tree.hpp"
#include "mesh/dense_states.hpp"
#include "mesh/halo_exchange.hpp"

namespace meander::mesh {

template <int D>
class StepGroup {
 public:
  struct Member {
    std::int32_t patch = 0;         // leaf of the cut tree
    std::int32_t leaf_of_mesh = 0;  // -1: a shadow
    int level = 0;
  };

  // Of levels first to last; `tree`: the mesh cut at `last`, or the mesh; `coarser`: the dense states of level
  // first - 1, or null if first is the coarsest. All outlive this. Throws gpu::OutOfMemory (several ranks:
  // parallel::AgreedFailure). Collective.
  StepGroup(const TreePatches<D>& tree, int first, const DenseStates<D>* coarser,
            const solvers::Solver& solver, const solvers::PatchLayout& layout,
            const BoundaryFill<D>& boundaries, gpu::Resource& memory);

  // Own leaves and shadows, in curve order.
  std::span<const Member> members() const { return members_; }
  std::int64_t shadows() const { return shadows_; }  // of all ranks
  const solvers::PatchTask& patch(const Member& member) const {
    return tree_.patches[static_cast<std::size_t>(member.patch)];
  }

  // Fills the halos of all members for time t. Collective among neighbours.
  void fill(double t, ThreadTeam& team) { exchange_.fill(t, team); }

  std::size_t bytes() const { return exchange_.ghost_bytes() + exchange_.buffer_bytes(); }

 private:
  TreePatches<D> tree_;
  std::vector<Member> members_;
  std::int64_t shadows_ = 0;
  HaloExchange<D> exchange_;
};

}  // namespace meander::mesh
