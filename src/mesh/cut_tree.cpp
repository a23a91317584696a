// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/cut_tree.hpp"

#include <algorithm>
#include <map>

#include "base/assert.hpp"
#include "base/thread_team.hpp"
#include "parallel/message_tags.hpp"

namespace meander::mesh {
namespace {

// The number of a key in a sorted list, or -1.
template <int D>
std::int32_t find(std::span<const Key<D>> leaves, Key<D> key) {
  const auto found = std::ranges::lower_bound(leaves, key);
  return found != leaves.end() && *found == key ? static_cast<std::int32_t>(found - leaves.begin()) : -1;
}

}  // namespace

template <int D>
DistributedTree<D> CutTree<D>::cut(const DistributedTree<D>& finer, int level) {
  std::vector<Key<D>> leaves;
  for (const Key<D> key : finer.curve().leaves()) {
    if (key.level() <= level) {
      leaves.push_back(key);
    } else if (position_of(key.parent()) == position_of(key)) {
      leaves.push_back(key.parent());
    }
  }
  DistributedTree<D> tree(finer.domain(), std::move(leaves), finer.communicator());
  return finer.is_placed() ? tree.placed(*finer.cuts()) : tree;
}

template <int D>
CutTree<D>::CutTree(const TreePatches<D>& finer, int level, const solvers::Traits& traits,
                    const solvers::PatchLayout& layout, const BoundaryFill<D>& boundaries,
                    gpu::Resource& memory, std::pmr::memory_resource& message_memory, Residence residence)
    : finer_(finer),
      layout_(layout),
      tree_(cut(*finer.tree, level)),
      view_(tree_),
      pool_(memory, slot_doubles(layout, traits)),
      patches_(view_.size()),
      leaf_of_mesh_(tree_.size()) {
  const auto leaves = tree_.leaves();
  kinds_.assign(view_.size(), CellKind::leaf);
  std::vector<std::int32_t> of_finer(tree_.size());
  std::size_t number_refined = 0;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    of_finer[i] = find<D>(finer.tree->leaves(), leaves[i]);
    if (of_finer[i] >= 0) continue;
    kinds_[i] = CellKind::refined;
    ++number_refined;
  }
  if (residence == Residence::device) number_refined = 0;
  tree_.communicator().agree([&] { pool_.reserve(number_refined); });
  for (std::size_t i = 0; i < view_.size(); ++i) {
    const Cell<D>& cell = view_.neighbours().cells()[i];
    const bool own = i < tree_.size();
    double* slot = nullptr;
    if (own && kinds_[i] == CellKind::refined && residence == Residence::host) {
      slot = pool_[pool_.acquire()];
      std::fill_n(slot, layout.slot_size(), 0.0);  // halos towards cells without a patch
    }
    patches_[i] = patch_task<D>(tree_.domain(), layout, boundaries, cell, slot, traits.stage_blocks > 0);
    if (!own) continue;
    const auto source = static_cast<std::size_t>(of_finer[i]);
    leaf_of_mesh_[i] = of_finer[i] < 0 ? -1 : finer.leaf_of_mesh[source];
    if (of_finer[i] >= 0) patches_[i] = finer.patches[source];
  }
  mark_kinds(level);
  plan_restriction(level, message_memory);
}

template <int D>
void CutTree<D>::mark_kinds([[maybe_unused]] int level) {
  const auto ghosts_know = [&] {
    const auto of_ghosts = view_.ghosts().template exchange<CellKind>(
        tree_.communicator(), std::span<const CellKind>(kinds_).first(tree_.size()));
    for (std::size_t i = 0; i < of_ghosts.size(); ++i)
      kinds_[static_cast<std::size_t>(view_.ghost(i))] = of_ghosts[i];
  };
  ghosts_know();
  for (std::size_t i = 0; i < tree_.size(); ++i) {
    if (kinds_[i] == CellKind::leaf) continue;
    for (int direction = 0; direction < children<D>; ++direction) {
      const Neighbour neighbour = view_.neighbours().of(static_cast<std::int32_t>(i), direction);
      if (!neighbour.is_leaf()) continue;
      const auto other = static_cast<std::size_t>(neighbour.leaf());
      MEANDER_ASSERT(view_.neighbours().cells()[other].level == level);
      if (kinds_[other] == CellKind::leaf) kinds_[i] = CellKind::shadow;
    }
  }
  ghosts_know();
}

// Both sides of a message list the children in curve order.
template <int D>
void CutTree<D>::plan_restriction(int level, std::pmr::memory_resource& message_memory) {
  const int rank = tree_.communicator().rank();
  std::map<int, parallel::NeighbourMessages::Peer> peers;
  const auto size_of = [&](const Index<D>& position) {
    return solvers::part_size<D>(layout_, position, whole());
  };
  const auto keys = finer_.tree->leaves();
  std::vector<int> senders, receivers;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].level() != level + 1) continue;
    const int owner = tree_.owner(keys[i].parent());
    if (owner == rank) continue;
    auto& peer = peers.try_emplace(owner, parallel::NeighbourMessages::Peer{owner, 0, 0}).first->second;
    sent_.push_back({static_cast<std::int32_t>(i), position_in_parent<D>(keys[i]), peer.send});
    receivers.push_back(owner);
    peer.send += size_of(sent_.back().position);
  }
  for (std::size_t i = 0; i < tree_.size(); ++i) {
    if (kinds_[i] == CellKind::leaf) continue;
    Refined& parent = refined_.emplace_back(Refined{static_cast<std::int32_t>(i), false, {}});
    for (int digit = 0; digit < children<D>; ++digit) {
      const Key<D> key = tree_.leaves()[i].child(digit);
      Child child{find<D>(keys, key), position_in_parent<D>(key), 0};
      if (child.leaf < 0) {
        parent.waits = true;
        const int owner = finer_.tree->owner(key);
        auto& peer = peers.try_emplace(owner, parallel::NeighbourMessages::Peer{owner, 0, 0}).first->second;
        child.offset = peer.receive;
        peer.receive += size_of(child.position);
        senders.push_back(owner);
      }
      parent.children.push_back(child);
    }
  }
  std::map<int, std::pair<std::size_t, std::size_t>> begins;
  std::vector<parallel::NeighbourMessages::Peer> list;
  std::size_t sent = 0, received = 0;
  for (const auto& [other, peer] : peers) {
    begins[other] = {sent, received};
    sent += peer.send;
    received += peer.receive;
    list.push_back(peer);
  }
  for (std::size_t i = 0; i < sent_.size(); ++i) sent_[i].offset += begins[receivers[i]].first;
  std::size_t next = 0;
  for (Refined& parent : refined_) {
    for (Child& child : parent.children) {
      if (child.leaf < 0) child.offset += begins[senders[next++]].second;
    }
  }
  messages_ = parallel::NeighbourMessages(tree_.communicator(), parallel::tag_of_level_halos, list,
                                          "states of refined cells", message_memory);
}

template <int D>
solvers::Restriction<D> CutTree<D>::whole() const {
  solvers::Restriction<D> restriction;
  restriction.box.extent.fill(layout_.p);
  return restriction;
}

template <int D>
void CutTree<D>::start_restriction(ThreadTeam& team) {
  messages_.start_receives();
  team.for_chunks(sent_.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      solvers::restrict_part<D>(layout_, finer_.patches[static_cast<std::size_t>(sent_[i].leaf)].q,
                                sent_[i].position, whole(), messages_.send_buffer() + sent_[i].offset);
  });
  messages_.start_sends();
  combine_children(false, team);
}

template <int D>
void CutTree<D>::finish_restriction(ThreadTeam& team) {
  messages_.wait();
  combine_children(true, team);
}

template <int D>
void CutTree<D>::combine_children(bool waiting, ThreadTeam& team) {
  team.for_chunks(refined_.size(), [&](int, std::size_t begin, std::size_t end) {
    std::vector<double> own;
    for (std::size_t i = begin; i < end; ++i) {
      const Refined& parent = refined_[i];
      if (parent.waits != waiting) continue;
      double* const coarse = patches_[static_cast<std::size_t>(parent.leaf)].q;
      for (const Child& child : parent.children) {
        const std::size_t size = solvers::part_size<D>(layout_, child.position, whole());
        const double* part = nullptr;
        if (child.leaf < 0) {
          part = messages_.received(child.offset);
        } else {
          own.resize(size);
          solvers::restrict_part<D>(layout_, finer_.patches[static_cast<std::size_t>(child.leaf)].q,
                                    child.position, whole(), own.data());
          part = own.data();
        }
        const solvers::RestrictedPart<D> one{part, child.position};
        solvers::combine_parts<D>(layout_, coarse, {&one, 1}, whole());
      }
    }
  });
}

template class CutTree<2>;
template class CutTree<3>;

}  // namespace meander::mesh
