// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Neighbours of all leaves over faces, edges and corners, found in one descent through the refined cells.
//
// A direction is a number 0 .. 3^D - 1: sum over axes of (offset + 1) * 3^axis with offsets -1, 0, 1; the
// middle one is the leaf itself.

#include <cstdint>
#include <span>

#include "base/thread_team.hpp"
#include "mesh/spacetree.hpp"
#include "mesh/uninitialized.hpp"

namespace meander::mesh {

template <int D>
constexpr int direction_of(const Index<D>& offset) {
  int direction = 0;
  for (int a = D - 1; a >= 0; --a) direction = 3 * direction + offset[a] + 1;
  return direction;
}

template <int D>
constexpr Index<D> offset_of(int direction) {
  Index<D> offset{};
  for (int a = 0; a < D; ++a, direction /= 3) offset[a] = direction % 3 - 1;
  return offset;
}

// The adjacent cell of a leaf's level in one direction: outside the domain; a leaf or part of a coarser leaf;
// or refined, with finer neighbours in it.
struct Neighbour {
  std::int32_t code = outside_code;

  static constexpr std::int32_t outside_code = INT32_MIN;
  bool is_outside() const { return code == outside_code; }
  bool is_leaf() const { return code >= 0; }
  bool is_refined() const { return code < 0 && code != outside_code; }
  std::int32_t leaf() const { return code; }               // if is_leaf(); coarser if its level is lower
  std::int32_t refined_cell() const { return -1 - code; }  // if is_refined(): index into refined_children()
};

// Holds no reference to the tree.
template <int D>
class Neighbours {
 public:
  Neighbours() = default;
  // Requires a balanced tree.
  explicit Neighbours(const Spacetree<D>& tree, const ThreadTeam& team = ThreadTeam(1));
  // numbers: of the leaves, in curve order; empty: 0, 1, 2, ... The tree need not be balanced: a cell beside a leaf may be
  // part of a leaf coarser by any number of levels, and children of a refined cell at the near side may be refined.
  Neighbours(const Spacetree<D>& tree, std::span<const std::int32_t> numbers,
             const ThreadTeam& team = ThreadTeam(1));

  Neighbour of(std::int32_t leaf, int direction) const {
    return {table_[static_cast<std::size_t>(leaf) * children<D> + static_cast<std::size_t>(direction)]};
  }
  // The children of a refined cell by lexicographic position (x fastest): leaf numbers, or negative values
  // for children that are refined or outside the domain.
  std::span<const std::int32_t, children<D>> refined_children(std::int32_t cell) const {
    return std::span<const std::int32_t, children<D>>(
        refined_.data() + static_cast<std::size_t>(cell) * children<D>, children<D>);
  }
  // The cells of all leaves (coordinates and level), by number.
  std::span<const Cell<D>> cells() const { return cells_; }
  // Memory of the lists.
  std::size_t bytes() const {
    return (table_.size() + refined_.size()) * sizeof(std::int32_t) + cells_.size() * sizeof(Cell<D>);
  }

 private:
  UninitializedVector<std::int32_t> table_;    // 3^D codes a leaf
  UninitializedVector<std::int32_t> refined_;  // 3^D child codes a refined cell
  UninitializedVector<Cell<D>> cells_;
};

}  // namespace meander::mesh
