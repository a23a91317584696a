// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The halo exchange as a flat plan: trivially copyable operations on leaves, grouped by the leaf whose halo
// they fill.
//
// The first phase begins with the operations that fetch from other leaves, which read interiors only.
// Boundary conditions, which read their own leaf, follow axis by axis. All leaves can therefore be filled
// concurrently. Means are prolonged in the first phase as well. Point values are prolonged in a second phase,
// when every coarse slot is complete as far as it is read (coarse_reads.hpp); for this purpose coarse leaves
// beside finer ones fill parts of their edges and corners.
//
// The data that leaves of another rank read go into one message a neighbour rank: layers of volumes
// unchanged, restrictions as partial sums, and for prolongation the volumes read of coarse slots, once for
// all fine leaves at one side of a coarse leaf. The receiver assembles the latter in ghost patches and
// prolongs. Both sides enumerate the receiving leaves in curve order, and the directions of each leaf in
// order, so that the layout of the first two kinds need not be sent. The reads of coarse slots are requested
// when the plan is made.

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/boundary_condition.hpp"
#include "mesh/local_view.hpp"
#include "parallel/neighbour_messages.hpp"
#include "solvers/restriction.hpp"
#include "solvers/solver.hpp"

namespace meander::mesh {

// The two groups of a phase's operations: those that need no messages, and those that require their arrival.
enum class Arrival : std::uint8_t { local, received };

template <int D>
struct HaloOp {
  enum class Kind : std::uint8_t { copy, receive, prolong, restrict_parts, boundary };
  Vec<std::int16_t, D> lower{}, extent{};  // the box of the destination
  Vec<std::int16_t, D> shift{};            // argument of solvers::copy, prolong (its offset) or restrict_to
  std::int32_t source = 0;  // copy, prolong: leaf of the view; restrict_parts: first entry of parts()
  std::int16_t parts = 0;   // restrict_parts: their number
  Kind kind = Kind::copy;
  std::uint8_t face = 0;   // boundary: 2 * axis + side
  std::size_t offset = 0;  // receive: in the receive buffer

  void set_box(const solvers::Box<D>& box, const Index<D>& shift);
  solvers::Box<D> box() const;
  Index<D> shifts() const;
  solvers::Restriction<D> restriction() const { return {box(), shifts()}; }
  // For a copy: the copy of the same layers of this leaf to the halo of the source.
  HaloOp reversed(std::int32_t leaf) const;
  friend bool operator==(const HaloOp&, const HaloOp&) = default;
};

// The part of one fine leaf in a restrict_parts operation: its partial sums.
template <int D>
struct FineSource {
  std::int32_t leaf = 0;
  Vec<std::int8_t, D> child{};  // position in the refined cell
  std::size_t offset = 0;  // own leaf: in a block of part_doubles() doubles; others: in the receive buffer

  Index<D> position() const;
  friend bool operator==(const FineSource&, const FineSource&) = default;
};

// A part as listed with its fine leaf: the numbers of operation and part.
struct PartJob {
  std::int32_t op = 0, part = 0;
};

// Items that this rank writes to the send buffer.
template <int D>
struct OutgoingVolumes {
  std::int32_t leaf = 0;
  solvers::Box<D> box;  // of its interior
  std::size_t offset = 0;
};
template <int D>
struct OutgoingPart {
  std::int32_t leaf = 0;
  Index<D> child{};
  solvers::Restriction<D> restriction;
  std::size_t offset = 0;
};

// The halos that a plan fills.
struct HaloNeeds {
  solvers::HaloShape shape = solvers::HaloShape::faces;
  bool conservative = true;  // flux correction changes leaves with finer neighbours after their update
  // One entry for each leaf of the view; 0: its halo is not filled. Empty: all are filled.
  std::span<const char> marked{};
};

template <int D>
class HaloPlan {
 public:
  HaloPlan() = default;
  // Collective. Takes memory of an earlier plan.
  HaloPlan(const DistributedTree<D>& tree, const LocalView<D>& view, const solvers::PatchLayout& layout,
           const HaloNeeds& needs, const ThreadTeam& team = ThreadTeam(1), HaloPlan&& earlier = {});

  // Copies between own leaves that are permitted after the update of both. The other leaf has the reverse
  // copy.
  std::span<const HaloOp<D>> early(std::size_t leaf) const {
    return range(begin_[3 * leaf], begin_[3 * leaf + 1]);
  }
  // All other operations of the first phase, in order of execution: after the flux correction and, according
  // to arrival(), after the arrival of messages.
  std::span<const HaloOp<D>> late(std::size_t leaf) const {
    return range(begin_[3 * leaf + 1], begin_[3 * leaf + 2]);
  }
  // The operations of the second phase, in order of execution. For leaves in second_local() they require the
  // first phase of all leaves with Arrival::local, for leaves in second_waiting() that of all leaves.
  std::span<const HaloOp<D>> second(std::size_t leaf) const {
    return range(begin_[3 * leaf + 2], begin_[3 * leaf + 3]);
  }
  // Leaves with operations of the second phase: without and with need of messages.
  std::span<const std::int32_t> second_local() const {
    return std::span(second_).first(second_waiting_from_);
  }
  std::span<const std::int32_t> second_waiting() const {
    return std::span(second_).subspan(second_waiting_from_);
  }
  std::span<const FineSource<D>> parts() const { return parts_; }
  std::span<const FineSource<D>> parts(const HaloOp<D>& op) const {
    return {parts_.data() + op.source, static_cast<std::size_t>(op.parts)};
  }
  // The parts that a fine leaf contributes to coarser halos of this rank. They can be summed after its
  // update.
  std::span<const PartJob> jobs(std::size_t leaf) const {
    return {jobs_.data() + job_begin_[leaf], job_begin_[leaf + 1] - job_begin_[leaf]};
  }
  const HaloOp<D>& op(const PartJob& job) const { return ops_[static_cast<std::size_t>(job.op)]; }
  const FineSource<D>& part(const PartJob& job) const { return parts_[static_cast<std::size_t>(job.part)]; }
  std::size_t part_doubles() const { return part_doubles_; }

  // One message to and one from every rank of the ghost layer, in its order, then of other ranks.
  std::span<const parallel::NeighbourMessages::Peer> peers() const { return peers_; }
  // The data that other ranks read of a leaf without flux correction; empty for others. They can be packed
  // after the update of the leaf.
  std::span<const OutgoingVolumes<D>> outgoing_volumes(std::size_t leaf) const {
    return outgoing_volumes_.of(leaf);
  }
  std::span<const OutgoingPart<D>> outgoing_parts(std::size_t leaf) const { return outgoing_parts_.of(leaf); }
  // The data that other ranks read of leaves with flux correction.
  std::span<const OutgoingVolumes<D>> late_outgoing_volumes() const { return outgoing_volumes_.late(); }
  std::span<const OutgoingPart<D>> late_outgoing_parts() const { return outgoing_parts_.late(); }
  // Leaves of the view that need a ghost patch, each once, and the operations that fill the i-th of them
  // after the arrival of messages, in order of execution.
  std::span<const std::int32_t> ghost_patches() const { return ghost_patches_; }
  std::span<const HaloOp<D>> ghost(std::size_t i) const {
    return range(ghost_begin_[i], ghost_begin_[i + 1]);
  }

  // Whether halos of other ranks depend on this leaf: they read it, or it corrects a leaf that they read.
  bool is_border(std::size_t leaf) const { return border_[leaf] != 0; }
  // Received if the first phase of the leaf needs data of another rank.
  Arrival arrival(std::size_t leaf) const { return arrival_[leaf]; }

  // Memory of the plan.
  std::size_t bytes() const;

 private:
  class Builder;
  std::span<const HaloOp<D>> range(std::size_t begin, std::size_t end) const {
    return {ops_.data() + begin, end - begin};
  }

  std::vector<HaloOp<D>> ops_;
  std::vector<FineSource<D>> parts_;
  std::vector<PartJob> jobs_;
  std::vector<std::size_t> job_begin_;
  std::size_t part_doubles_ = 0;
  std::vector<std::size_t> begin_;  // of the early, late and second operations of leaf 0, of leaf 1, ...
  std::vector<std::size_t> ghost_begin_;
  std::vector<std::int32_t> second_;
  std::size_t second_waiting_from_ = 0;

  std::vector<parallel::NeighbourMessages::Peer> peers_;
  // Items sorted by leaf; those of corrected leaves at the end.
  template <class Item>
  struct Outgoing {
    std::vector<Item> items;
    std::vector<std::size_t> begin;  // of the items of each leaf, and of the late items
    std::span<const Item> of(std::size_t leaf) const {
      return std::span(items).subspan(begin[leaf], begin[leaf + 1] - begin[leaf]);
    }
    std::span<const Item> late() const { return std::span(items).subspan(begin.back()); }
  };
  Outgoing<OutgoingVolumes<D>> outgoing_volumes_;
  Outgoing<OutgoingPart<D>> outgoing_parts_;
  std::vector<std::int32_t> ghost_patches_;
  std::vector<char> border_;
  std::vector<Arrival> arrival_;
};

}  // namespace meander::mesh
