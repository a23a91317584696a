// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The halo exchange as a flat plan: trivially copyable operations on leaves, grouped by the leaf whose halo
// they fill.
//
// In the first phase operations that fetch from other leaves read interiors only and come first; boundary
// conditions, which read their own leaf, come last, axis by axis. So all leaves can be filled at once. Means
// are prolonged in this phase, too. Point values are prolonged in a second one, when every coarse slot that
// is read is complete as far as it is read (coarse_reads.hpp): coarse leaves beside finer ones fill parts of
// their edges and corners for that.
//
// What other ranks' leaves read of this rank's goes into one message a neighbour rank: layers of volumes as
// they are, restrictions as partial sums, and for prolongation what is read of coarse slots, once for all
// that a side of a leaf touches; the receiver assembles those in ghost patches and prolongs. Both sides
// enumerate the receiving leaves along the curve, and each leaf's directions in order, so that nothing about
// these parts of the message needs to be sent; what is read of coarse slots is asked for when the plan is
// made.

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
  Vec<std::int16_t, D> shift{};            // as solvers::copy, prolong (its offset) or restrict_to take it
  std::int32_t source = 0;  // copy, prolong: leaf of the view; restrict_parts: first entry of parts()
  std::int16_t parts = 0;   // restrict_parts: how many
  Kind kind = Kind::copy;
  std::uint8_t face = 0;   // boundary: 2 * axis + side
  std::size_t offset = 0;  // receive: in the receive buffer

  void set_box(const solvers::Box<D>& box, const Index<D>& shift);
  solvers::Box<D> box() const;
  Index<D> shifts() const;
  solvers::Restriction<D> restriction() const { return {box(), shifts()}; }
  // Of a copy: the one that takes the same layers of this leaf to the source's halo.
  HaloOp reversed(std::int32_t leaf) const;
};

// A fine leaf's part in a restrict_parts operation.
template <int D>
struct FineSource {
  std::int32_t leaf = 0;
  Vec<std::int8_t, D> child{};  // position in the refined cell
  std::size_t offset =
      0;  // own leaf: of its part in a block of part_doubles() doubles; else in the receive buffer

  Index<D> position() const;
};

// The same, listed with the fine leaf.
struct PartJob {
  std::int32_t op = 0, part = 0;
};

// What this rank puts into the send buffer.
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

// Whose halos a plan fills, and how.
struct HaloNeeds {
  solvers::HaloShape shape = solvers::HaloShape::faces;
  bool conservative = true;  // leaves with finer neighbours change once more after their update
  // By leaf of the view: 0 for leaves whose halos are left as they are. Empty: all are filled.
  std::span<const char> marked{};
};

template <int D>
class HaloPlan {
 public:
  HaloPlan() = default;
  // Collective.
  HaloPlan(const DistributedTree<D>& tree, const LocalView<D>& view, const solvers::PatchLayout& layout,
           const HaloNeeds& needs);

  // Copies between own leaves that may be done once both are updated; for each, the other leaf has the
  // reverse one.
  std::span<const HaloOp<D>> early(std::size_t leaf) const {
    return range(begin_[3 * leaf], begin_[3 * leaf + 1]);
  }
  // All others of the first phase, in the order to be done; after the flux correction, and when messages have
  // arrived.
  std::span<const HaloOp<D>> late(std::size_t leaf) const {
    return range(begin_[3 * leaf + 1], begin_[3 * leaf + 2]);
  }
  // Those of the second phase, in the order to be done; after the first phase of all leaves, if the leaf
  // waits() for messages, else of those that do not receive().
  std::span<const HaloOp<D>> second(std::size_t leaf) const {
    return range(begin_[3 * leaf + 2], begin_[3 * leaf + 3]);
  }
  // Leaves with operations of the second phase: first those that do not wait for messages.
  std::span<const std::int32_t> second_local() const {
    return std::span(second_).first(second_waiting_from_);
  }
  std::span<const std::int32_t> second_waiting() const {
    return std::span(second_).subspan(second_waiting_from_);
  }
  std::span<const FineSource<D>> parts(const HaloOp<D>& op) const {
    return {parts_.data() + op.source, static_cast<std::size_t>(op.parts)};
  }
  // The parts that a fine leaf contributes to coarser halos of this rank; they can be summed up once it is
  // updated.
  std::span<const PartJob> jobs(std::size_t leaf) const {
    return {jobs_.data() + job_begin_[leaf], job_begin_[leaf + 1] - job_begin_[leaf]};
  }
  const HaloOp<D>& op(const PartJob& job) const { return ops_[static_cast<std::size_t>(job.op)]; }
  const FineSource<D>& part(const PartJob& job) const { return parts_[static_cast<std::size_t>(job.part)]; }
  std::size_t part_doubles() const { return part_doubles_; }

  // One message each to and from every rank of the ghost layer, in its order, then others.
  std::span<const parallel::NeighbourMessages::Peer> peers() const { return peers_; }
  // What others read of a leaf that no flux correction changes: it can be packed once the leaf is updated.
  std::span<const OutgoingVolumes<D>> outgoing_volumes(std::size_t leaf) const {
    return outgoing_volumes_.of(leaf);
  }
  std::span<const OutgoingPart<D>> outgoing_parts(std::size_t leaf) const { return outgoing_parts_.of(leaf); }
  // What they read of all other leaves.
  std::span<const OutgoingVolumes<D>> late_outgoing_volumes() const { return outgoing_volumes_.late(); }
  std::span<const OutgoingPart<D>> late_outgoing_parts() const { return outgoing_parts_.late(); }
  // Leaves of the view that need a ghost patch, each once, and what puts the i-th together, in the order to
  // be done when messages have arrived.
  std::span<const std::int32_t> ghost_patches() const { return ghost_patches_; }
  std::span<const HaloOp<D>> ghost(std::size_t i) const {
    return range(ghost_begin_[i], ghost_begin_[i + 1]);
  }

  // Whether other ranks' halos wait for this leaf: it is read by them, or corrects one that is.
  bool is_border(std::size_t leaf) const { return border_[leaf] != 0; }
  // Received if the first phase of the leaf needs data of another rank.
  Arrival arrival(std::size_t leaf) const { return arrival_[leaf]; }

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
  std::vector<std::size_t> begin_;  // of the early, late and second operations of each leaf, in turn
  std::vector<std::size_t> ghost_begin_;
  std::vector<std::int32_t> second_;
  std::size_t second_waiting_from_ = 0;

  std::vector<parallel::NeighbourMessages::Peer> peers_;
  // Items by leaf, and those of corrected leaves at the end.
  template <class Item>
  struct Outgoing {
    std::vector<Item> items;
    std::vector<std::size_t> begin;  // of leaves, and of what is late
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
