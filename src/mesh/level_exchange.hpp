// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Halos with local time steps: those of the levels from a first to a last one, which stand at the same time.
// The next coarser level has been updated by a step that contains this time; what is read of it are states
// within that step (coarse_in_time.hpp).

#include <span>
#include <vector>

#include "mesh/coarse_in_time.hpp"
#include "mesh/halo_exchange.hpp"

namespace meander::mesh {

template <int D>
class LevelExchange {
 public:
  struct Member {
    std::int32_t patch = 0;         // own leaf of the tree
    std::int32_t leaf_of_mesh = 0;  // -1: a shadow
    int level = 0;
  };

  // Of levels first to last; `tree`: the mesh cut at `last`, or the mesh; `coarser`: of level first - 1, or
  // null if first is the coarsest. All outlive this, `tree` what it refers to. Throws gpu::OutOfMemory
  // (several ranks: parallel::AgreedFailure). Collective.
  LevelExchange(const TreePatches<D>& tree, int first, const CoarseInTime<D>* coarser,
                const solvers::Solver& solver, const solvers::PatchLayout& layout,
                const BoundaryFill<D>& boundaries, gpu::Resource& memory);

  // Own leaves and shadows, in curve order.
  std::span<const Member> members() const { return members_; }
  std::int64_t shadows() const { return shadows_; }  // of all ranks
  const solvers::PatchTask& patch(const Member& member) const {
    return tree_.patches[static_cast<std::size_t>(member.patch)];
  }

  // The halos of all members for time t are filled in three parts, after CoarseInTime::evaluate() for that
  // time. The first reads the coarser states and the members that other ranks read: others may be updated
  // until the second, which does what needs no messages. In between the second and the third, members that do
  // not wait may be updated; their halos are complete. The third waits for the messages. Collective among
  // neighbours.
  void send(ThreadTeam& team) { exchange_.send(team); }
  void fill_local(double t, ThreadTeam& team) { exchange_.fill_local(t, team); }
  void finish_fill(double t, ThreadTeam& team) { exchange_.finish_fill(t, team); }
  // By own leaf of the tree: whether other ranks read it; whether the halo of a member needs messages, or a
  // halo that does is filled from the member.
  bool is_border(std::int32_t patch) const {
    return exchange_.plan().is_border(static_cast<std::size_t>(patch));
  }
  bool waits(std::int32_t patch) const { return waits_[static_cast<std::size_t>(patch)] != 0; }
  parallel::NeighbourMessages& messages() { return exchange_.messages(); }

  // For work on devices.
  HaloExchange<D>& exchange() { return exchange_; }
  const HaloExchange<D>& exchange() const { return exchange_; }

  std::size_t bytes() const { return exchange_.ghost_bytes() + exchange_.buffer_bytes(); }

 private:
  // Whether the plan reads leaves of coarser levels only where `coarser` has their states.
  bool reads_in_time(const solvers::PatchLayout& layout, int first, const CoarseInTime<D>* coarser) const;

  TreePatches<D> tree_;
  std::vector<Member> members_;
  std::int64_t shadows_ = 0;
  HaloExchange<D> exchange_;
  std::vector<char> waits_;  // by own leaf of the tree
};

}  // namespace meander::mesh
