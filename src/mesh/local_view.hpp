// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The tree as a rank sees it: its own leaves, the ghosts around them, coarse cells that complete these to a
// tree of the whole domain, and the neighbours of all.
//
// The own leaves are numbered 0 .. own() - 1 in curve order, and those of other ranks follow, in curve order, too.
// position() is the number along the curve.

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/distributed_tree.hpp"
#include "mesh/neighbours.hpp"

namespace meander::mesh {

template <int D>
class LocalView {
 public:
  // Builds the ghost layer of a balanced tree; keeps no reference to the tree. Collective.
  explicit LocalView(const DistributedTree<D>& tree, const ThreadTeam& team = ThreadTeam(1))
      : LocalView(tree, GhostLayer<D>::of(tree), team) {}
  // With the ghost layer of the tree. Not collective.
  LocalView(const DistributedTree<D>& tree, GhostLayer<D> ghosts, const ThreadTeam& team = ThreadTeam(1));

  std::size_t own() const { return own_; }
  std::size_t size() const { return neighbours_.cells().size(); }
  const GhostLayer<D>& ghosts() const { return ghosts_; }
  // The leaf of the view that is ghosts().leaves[i].
  std::int32_t ghost(std::size_t i) const { return ghost_[i]; }
  // Rank of a leaf of the view; -1 for the coarse cells of the completion.
  int rank(std::int32_t leaf) const { return rank_[static_cast<std::size_t>(leaf)]; }
  bool is_own(std::int32_t leaf) const { return static_cast<std::size_t>(leaf) < own_; }

  // Of all leaves of the view. Correct for own leaves; for ghosts, only where the neighbour is an own leaf.
  const Neighbours<D>& neighbours() const { return neighbours_; }
  // Whether an own leaf has finer neighbours across a face, or coarser ones.
  bool has_finer(std::size_t leaf) const { return (jumps_[leaf] & 1) != 0; }
  bool has_coarser(std::size_t leaf) const { return (jumps_[leaf] & 2) != 0; }
  // Number along the curve.
  std::size_t position(std::int32_t leaf) const {
    const auto i = static_cast<std::size_t>(leaf);
    return position_.empty() ? i : position_[i];
  }
  // Memory of the lists of leaves and neighbours.
  std::size_t bytes() const;

 private:
  void find_jumps(const ThreadTeam& team);

  std::size_t own_ = 0;
  std::vector<std::uint32_t> position_;  // empty: that of its number
  GhostLayer<D> ghosts_;
  std::vector<std::int32_t> ghost_;
  std::vector<int> rank_;
  Neighbours<D> neighbours_;
  std::vector<char> jumps_;  // by own leaf
};

}  // namespace meander::mesh
