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

  // The halos of all members for time t are filled in three parts. The first reads the dense states and the members that
  // other ranks read: others may be updated until the second, which does what needs no messages. In between the second and
  // the third, members that do not wait may be updated; their halos are complete. The third waits for the messages. Collective
  // among neighbours.
  void send(ThreadTeam& team) { exchange_.send(team); }
  void fill_local(double t, ThreadTeam& team) { exchange_.fill_local(t, team); }
  void finish_fill(double t, ThreadTeam& team) { exchange_.finish_fill(t, team); }
  bool is_border(const Member& member) const {
    return exchange_.plan().is_border(static_cast<std::size_t>(member.patch));
  }
  // Whether the halo of a member needs messages, or a halo that does is filled from the member.
  bool waits(const Member& member) const { return waits_[static_cast<std::size_t>(member.patch)] != 0; }
  parallel::NeighbourMessages& messages() { return exchange_.messages(); }

  // For work on devices.
  HaloExchange<D>& exchange() { return exchange_; }
  const HaloExchange<D>& exchange() const { return exchange_; }

  std::size_t bytes() const { return exchange_.ghost_bytes() + exchange_.buffer_bytes(); }

 private:
  TreePatches<D> tree_;
  std::vector<Member> members_;
  std::int64_t shadows_ = 0;
  HaloExchange<D> exchange_;
  std::vector<char> waits_;  // by own leaf of the tree
};

}  // namespace meander::mesh
