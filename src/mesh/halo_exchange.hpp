// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Executes a HaloPlan: its operations within the rank, messages between ranks. Coarse leaves of other ranks
// from which own leaves prolong have ghost patches.

#include <optional>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "mesh/boundary_condition.hpp"
#include "mesh/halo_plan.hpp"
#include "mesh/patch_pool.hpp"

namespace meander::mesh {

template <int D>
class HaloExchange {
 public:
  // All outlive the exchange. `memory` is for ghost patches.
  HaloExchange(const solvers::Solver& solver, const solvers::PatchLayout& layout,
               const BoundaryFill<D>& boundaries, gpu::Resource& memory,
               std::pmr::memory_resource& message_memory);

  // Makes the plan for the leaves of `view`, which must live until the next call. `patches`: of all leaves of
  // the view; only own ones need a slot. Throws gpu::OutOfMemory (several ranks: parallel::AgreedFailure).
  // Collective.
  void plan(const DistributedTree<D>& tree, const LocalView<D>& view, const HaloNeeds& needs,
            std::span<const solvers::PatchTask> patches, int tag, const char* name,
            const ThreadTeam& team = ThreadTeam(1));

  const HaloPlan<D>& plan() const { return plan_; }
  parallel::NeighbourMessages& messages() { return messages_; }
  const parallel::NeighbourMessages& messages() const { return messages_; }

  // Fills all halos of the plan from interiors and boundary conditions. Collective.
  void fill(double t, ThreadTeam& team) {
    start_fill(t, team);
    finish_fill(t, team);
  }
  // fill() in two parts. The first sends and does what needs no messages; halos of leaves with Arrival::local
  // are complete after it, except those of the second phase that wait. The second waits for messages and reads
  // no interiors of own leaves, which may change in between, except those that the second phase or ghost patches read.
  void start_fill(double t, ThreadTeam& team) {
    send(team);
    fill_local(t, team);
  }
  void finish_fill(double t, ThreadTeam& team);
  // start_fill() in two parts. The first reads leaves with plan().is_border() only: the others may be updated in
  // between.
  void send(ThreadTeam& team);
  void fill_local(double t, ThreadTeam& team);

  // Deferred operations: a leaf copies the volumes that it received from the message, and prolongs means from ghost patches,
  // immediately before its next update and therefore in cache. The values are the same.
  // Before finish_first_phase() of the first leaf. deferred: until the next such call or fill(), first phases leave out
  // these operations and the boundary conditions of their leaves.
  void begin_first_phase(bool deferred, double t);
  // Fills what the first phase of a leaf left out, for the t of begin_first_phase(). No effect on other leaves and if nothing
  // was left out. Calls for different leaves may run concurrently.
  void finish_deferred(std::size_t leaf);
  // The same for all leaves, which have not been updated since.
  void finish_deferred(ThreadTeam& team);

  // The steps of fill(), in this order. Starts the receives; start_sends() does if deferred operations have yet to read the
  // messages of the last exchange.
  void expect_messages();
  // After the update of a leaf: copies to and from the neighbours for
  // which known(neighbour) is true, and packing of its outgoing data.
  template <class Known>
  void exchange_updated(std::size_t leaf, const Known& known) {
    for (const HaloOp<D>& op : plan_.early(leaf)) {
      const auto source = static_cast<std::size_t>(op.source);
      if (!known(source)) continue;
      apply(op, leaf, 0);
      if (source != leaf) apply(op.reversed(static_cast<std::int32_t>(leaf)), source, 0);
    }
    sum_parts(leaf);
    pack(plan_.outgoing_volumes(leaf), plan_.outgoing_parts(leaf));
  }
  // Computes the partial sums that coarser leaves read of a leaf; again after a change of its state.
  void sum_parts(std::size_t leaf);
  // After all leaves with outgoing data have their final state.
  void start_sends(ThreadTeam& team);
  // The first phase of a leaf. Of the early copies, only those from leaves with left_out(leaf). Calls for
  // different leaves may run concurrently.
  template <class LeftOut>
  void finish_first_phase(std::size_t leaf, const LeftOut& left_out, double t) {
    for (const HaloOp<D>& op : plan_.early(leaf)) {
      if (left_out(static_cast<std::size_t>(op.source))) apply(op, leaf, t);
    }
    const bool later = is_deferred_ && defers_[leaf] != 0;
    for (const HaloOp<D>& op : plan_.late(leaf)) {
      if (!later || !is_deferrable(op)) apply(op, leaf, t);
    }
  }
  // Waits for the messages, then fills the ghost patches.
  void finish_receives(double t, ThreadTeam& team);
  // After the first phase of all leaves with that arrival() or an earlier one.
  void second_phase(Arrival arrival, double t, ThreadTeam& team);

  // Memory of ghost patches, and of partial sums and messages.
  std::size_t ghost_bytes() const {
    return ghost_pool_.capacity() * ghost_pool_.slot_doubles() * sizeof(double);
  }
  std::size_t buffer_bytes() const { return parts_.size() * sizeof(double) + 2 * messages_.sent_bytes(); }

 private:
  // What an own coarse leaf provides is prolonged at once: its next update may precede that of the finer leaf.
  bool is_deferrable(const HaloOp<D>& op) const {
    using Kind = typename HaloOp<D>::Kind;
    // Boundary conditions may read the results of the others.
    return op.kind == Kind::receive || (op.kind == Kind::prolong && !view_->is_own(op.source)) ||
           op.kind == Kind::boundary;
  }
  void pack(std::span<const OutgoingVolumes<D>> volumes, std::span<const OutgoingPart<D>> parts);
  // Applies the operations of the first phase of a leaf that belong to one part of fill().
  void apply_first_phase(std::size_t leaf, Arrival part, double t);
  void apply(const HaloOp<D>& op, std::size_t leaf, double t);
  void combine(const HaloOp<D>& op, double* slot);

  const solvers::Solver& solver_;
  solvers::PatchLayout layout_;
  const BoundaryFill<D>& boundaries_;
  const LocalView<D>* view_ = nullptr;
  HaloPlan<D> plan_;
  std::pmr::memory_resource& message_memory_;
  parallel::NeighbourMessages messages_;
  PatchPool ghost_pool_;
  std::vector<solvers::PatchTask>
      patches_;                // of own leaves, then of the other leaves of the view, whose slots may be null
  std::vector<double> parts_;  // partial sums of own fine leaves
  // In curve order: own leaves whose halos the plan fills in its first phase, those that coarser halos read, and
  // those that other ranks read without flux correction.
  std::vector<std::size_t> filled_, summed_, packed_;

  std::vector<char> defers_;  // own leaves with operations that can be deferred
  bool is_deferred_ = false;
  bool expects_ = false;  // receives are started, or were in the last exchange
  double deferred_t_ = 0;
};

}  // namespace meander::mesh
