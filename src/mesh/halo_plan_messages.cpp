// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The messages of a HaloPlan: first the data for each direction of the receiving leaves, then the reads of
// coarse slots.
#include <algorithm>
#include <numeric>

#include "mesh/halo_plan_builder.hpp"
#include "mesh/halo_reads.hpp"

namespace meander::mesh {

// Lists the data that the halos of ghosts read of this rank's leaves, in the order of list_own() on their
// ranks.
template <int D>
void HaloPlan<D>::Builder::list_outgoing() {
  const auto& ghosts = view_.ghosts();
  for (const auto& neighbour : ghosts.neighbours) {
    const std::size_t to = peer(neighbour.rank);
    for (std::size_t g = neighbour.begin; g < neighbour.end; ++g) {
      if (!fills(view_.ghost(g))) continue;
      visit_reads<D>(view_, view_.ghost(g), regions_, sources_,
                     [&](int, const HaloOp<D>& op, const std::vector<FineSource<D>>& sources) {
                       if (op.kind != Kind::prolong) send_to_ghost(to, op, sources);
                     });
    }
  }
}

template <int D>
void HaloPlan<D>::Builder::send_to_ghost(std::size_t peer, const HaloOp<D>& op,
                                         const std::vector<FineSource<D>>& sources) {
  if (op.kind == Kind::restrict_parts) {
    for (const FineSource<D>& source : sources) {
      if (view_.is_own(source.leaf)) send_part(peer, source.leaf, source.position(), op.restriction());
    }
  } else if (view_.is_own(op.source)) {
    solvers::Box<D> box = op.box();
    for (int a = 0; a < D; ++a) box.lower[a] += op.shift[a];
    send_volumes(peer, op.source, box);
  }
}

// Requests from other ranks what this rank reads of coarse slots, and lists what they request: in identical
// order on both sides.
template <int D>
void HaloPlan<D>::Builder::request_coarse_reads() {
  const auto& communicator = tree_.communicator();
  if (communicator.size() == 1) return;
  std::vector<parallel::Parcel<Request>> requests;
  std::unordered_map<int, std::size_t> parcel_of;
  std::ranges::sort(expected_, {}, &Expected::read);
  for (const Expected& expected : expected_) {
    const CoarseRead<D>& read = reads_.all()[expected.read];
    const std::size_t offset = incoming_[peer(read.rank)].take(read.doubles(layout_));
    (expected.is_part ? plan_.parts_[expected.index].offset : plan_.ops_[expected.index].offset) = offset;
    const auto [parcel, is_new] = parcel_of.try_emplace(read.rank, requests.size());
    if (is_new) requests.push_back({read.rank, {}});
    requests[parcel->second].items.push_back(
        {read.source, read.is_finer, read.child, read.box(), read.shift(layout_)});
  }
  for (const auto& parcel : parallel::exchange_sparsely(communicator, requests)) {
    const std::size_t to = peer(parcel.rank);
    for (const Request& request : parcel.items) send_requested(to, request);
  }
}

template <int D>
void HaloPlan<D>::Builder::send_requested(std::size_t peer, const Request& request) {
  const std::int32_t leaf = own_leaf(request.source);
  if (request.is_finer) return send_part(peer, leaf, request.child, {request.box, request.shift});
  solvers::Box<D> box = request.box;
  for (std::size_t a = 0; a < D; ++a) box.lower[a] += request.shift[a];
  send_volumes(peer, leaf, box);
}

template <int D>
void HaloPlan<D>::Builder::send_volumes(std::size_t peer, std::int32_t leaf, const solvers::Box<D>& box) {
  const std::size_t doubles = box.volumes() * static_cast<std::size_t>(layout_.unknowns);
  plan_.outgoing_volumes_.items.push_back({leaf, box, outgoing_[peer].take(doubles)});
  peers_of_volumes_.push_back(peer);
}

template <int D>
void HaloPlan<D>::Builder::send_part(std::size_t peer, std::int32_t leaf, const Index<D>& child,
                                     const solvers::Restriction<D>& restriction) {
  const std::size_t doubles = solvers::part_size<D>(layout_, child, restriction);
  plan_.outgoing_parts_.items.push_back({leaf, child, restriction, outgoing_[peer].take(doubles)});
  peers_of_parts_.push_back(peer);
}

// Sets the offsets of the messages in the buffers, and adds them to all offsets that were counted from the
// beginning of a message.
template <int D>
void HaloPlan<D>::Builder::set_message_offsets() {
  for (std::size_t i = 0; i < plan_.peers_.size(); ++i) {
    incoming_[i].begin = i == 0 ? 0 : incoming_[i - 1].begin + incoming_[i - 1].doubles;
    outgoing_[i].begin = i == 0 ? 0 : outgoing_[i - 1].begin + outgoing_[i - 1].doubles;
    plan_.peers_[i].send = outgoing_[i].doubles;
    plan_.peers_[i].receive = incoming_[i].doubles;
  }
  for (std::size_t k = 0; k < peers_of_volumes_.size(); ++k)
    plan_.outgoing_volumes_.items[k].offset += outgoing_[peers_of_volumes_[k]].begin;
  for (std::size_t k = 0; k < peers_of_parts_.size(); ++k)
    plan_.outgoing_parts_.items[k].offset += outgoing_[peers_of_parts_[k]].begin;
  for (const Expected& expected : expected_) {
    (expected.is_part ? plan_.parts_[expected.index].offset : plan_.ops_[expected.index].offset) +=
        incoming_[peer(reads_.all()[expected.read].rank)].begin;
  }
  if (!plan_.peers_.empty()) {
    for (HaloOp<D>& op : plan_.ops_) {
      if (op.kind == Kind::receive && op.source >= 0) op.offset += incoming_[peer_of(op.source)].begin;
    }
    for (FineSource<D>& part : plan_.parts_) {
      if (part.leaf >= 0 && !view_.is_own(part.leaf)) part.offset += incoming_[peer_of(part.leaf)].begin;
    }
  }
  sort_by_leaf(plan_.outgoing_volumes_);
  sort_by_leaf(plan_.outgoing_parts_);
}

template <int D>
template <class Items>
void HaloPlan<D>::Builder::sort_by_leaf(Items& outgoing) const {
  const std::size_t own = view_.own();
  const auto group = [&](const auto& item) {
    const auto leaf = static_cast<std::size_t>(item.leaf);
    return corrected_[leaf] != 0 ? own : leaf;
  };
  std::ranges::stable_sort(outgoing.items, {}, group);
  outgoing.begin.assign(own + 1, 0);
  for (const auto& item : outgoing.items) {
    if (const std::size_t leaf = group(item); leaf < own) ++outgoing.begin[leaf + 1];
  }
  std::partial_sum(outgoing.begin.begin(), outgoing.begin.end(), outgoing.begin.begin());
}

// Marks leaves with outgoing data and the finer leaves that correct them; recursively, since the correction
// of these must precede as well.
template <int D>
void HaloPlan<D>::Builder::list_border() {
  auto& border = plan_.border_;
  for (const auto& item : plan_.outgoing_volumes_.items) border[static_cast<std::size_t>(item.leaf)] = 1;
  for (const auto& item : plan_.outgoing_parts_.items) border[static_cast<std::size_t>(item.leaf)] = 1;
  std::vector<std::int32_t> open;
  for (std::size_t leaf = 0; leaf < view_.own(); ++leaf) {
    if (border[leaf] != 0) open.push_back(static_cast<std::int32_t>(leaf));
  }
  while (!open.empty()) {
    const std::int32_t leaf = open.back();
    open.pop_back();
    if (!corrected_[static_cast<std::size_t>(leaf)]) continue;
    for (int face = 0; face < 2 * D; ++face) {
      Index<D> offset{};
      offset[face / 2] = 2 * (face % 2) - 1;
      const auto neighbour = view_.neighbours().of(leaf, direction_of<D>(offset));
      if (!neighbour.is_refined()) continue;
      touching_children<D>(view_, neighbour.refined_cell(), offset, sources_);
      for (const FineSource<D>& fine : sources_) {
        if (!view_.is_own(fine.leaf) || border[static_cast<std::size_t>(fine.leaf)] != 0) continue;
        border[static_cast<std::size_t>(fine.leaf)] = 1;
        open.push_back(fine.leaf);
      }
    }
  }
}

#define MEANDER_INSTANTIATE(D)                                \
  template void HaloPlan<D>::Builder::list_outgoing();        \
  template void HaloPlan<D>::Builder::request_coarse_reads(); \
  template void HaloPlan<D>::Builder::set_message_offsets();  \
  template void HaloPlan<D>::Builder::list_border();
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::mesh
