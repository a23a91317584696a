// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a rank sees of the tree: its own leaves, the ghosts around them, and coarse cells in between that make
// it a tree of the whole domain, with the neighbours of all.
//
// Leaves are numbered along the curve from this rank's first leaf to the end, then from the curve's start: so
// this rank's own are 0 .. own() - 1, and those of others follow. position() says where a leaf lies along the
// curve.

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/distributed_tree.hpp"
#include "mesh/neighbours.hpp"

namespace meander::mesh {

template <int D>
class LocalView {
 public:
  // Collective: builds the ghost layer. The tree is balanced; no reference to it is kept.
  explicit LocalView(const DistributedTree<D>& tree) : LocalView(tree, GhostLayer<D>::of(tree)) {}
  // With the tree's ghost layer. Not collective.
  LocalView(const DistributedTree<D>& tree, GhostLayer<D> ghosts);

  std::size_t own() const { return own_; }
  std::size_t size() const { return neighbours_.cells().size(); }
  const GhostLayer<D>& ghosts() const { return ghosts_; }
  // Number of ghosts().leaves[i] among the leaves of the view.
  std::int32_t ghost(std::size_t i) const { return ghost_[i]; }
  // Rank that holds a leaf of the view; -1 for the coarse cells in between.
  int rank(std::int32_t leaf) const { return rank_[static_cast<std::size_t>(leaf)]; }
  bool is_own(std::int32_t leaf) const { return static_cast<std::size_t>(leaf) < own_; }

  // Of all leaves of the view. Exact for own leaves; for ghosts where they name own leaves.
  const Neighbours<D>& neighbours() const { return neighbours_; }
  // Leaves compare along the curve like their positions.
  std::size_t position(std::int32_t leaf) const {
    const std::size_t p = static_cast<std::size_t>(leaf) + begin_;
    return p < size() ? p : p - size();
  }

 private:
  std::size_t own_ = 0,
              begin_ = 0;  // begin: own leaves ahead of which that many of the view lie on the curve
  GhostLayer<D> ghosts_;
  std::vector<std::int32_t> ghost_;
  std::vector<int> rank_;
  Neighbours<D> neighbours_;
};

}  // namespace meander::mesh
