// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The Peano curve with tripartitioning, and keys of cells along it.
//
// A key is one 64-bit word: the path of Peano digits from the root, left-aligned (5 bits a level in 3D, 4 in
// 2D), and the level in the lowest 4 bits. The order of keys is that of the curve, with an ancestor
// immediately before its first descendant.
//
// The curve visits the 3^d children of a cell in serpentine order, x fastest. Axis a of a cell is
// traversed backwards iff the sum of the cell's integer coordinates along the other axes is odd.

#include <compare>
#include <cstdint>

#include "base/vec.hpp"

namespace meander::mesh {

// Children of a refined cell, and cells in a 3^d neighbourhood.
template <int D>
inline constexpr int children = D == 3 ? 27 : 9;

// A cell by integer coordinates on its level: 0 .. 3^level - 1 along each axis, in the root cube.
template <int D>
struct Cell {
  Index<D> at{};
  int level = 0;
  friend bool operator==(const Cell&, const Cell&) = default;
};

template <int D>
struct Key {
  static constexpr int digit_bits = D == 3 ? 5 : 4;
  static constexpr int level_bits = 4;
  static constexpr int max_level = (64 - level_bits) / digit_bits;  // 12 in 3D, 15 in 2D

  std::uint64_t bits = 0;  // the root

  friend auto operator<=>(const Key&, const Key&) = default;

  constexpr int level() const { return static_cast<int>(bits & 15u); }
  static constexpr int shift(int level) { return 64 - digit_bits * level; }

  // Position of the level-`level` ancestor (or the cell itself) among its siblings along the curve.
  constexpr int digit(int level) const {
    return static_cast<int>((bits >> shift(level)) & ((1u << digit_bits) - 1u));
  }
  // The child with curve position `digit` (0 .. 3^d - 1).
  constexpr Key child(int digit) const {
    return {bits + 1u + (static_cast<std::uint64_t>(digit) << shift(level() + 1))};
  }
  constexpr Key ancestor(int level) const {
    const std::uint64_t mask = level == 0 ? 0 : ~std::uint64_t{0} << shift(level);
    return {(bits & mask) | static_cast<std::uint64_t>(level)};
  }
  constexpr Key parent() const { return ancestor(level() - 1); }
  constexpr bool contains(Key other) const {
    return other.level() >= level() && other.ancestor(level()) == *this;
  }
};

// Conversions; inverse to each other. 0 <= cell.at[a] < 3^level, level <= max_level.
template <int D>
Key<D> key_of(const Cell<D>& cell);
template <int D>
Cell<D> cell_of(Key<D> key);

// The position of a cell among the children of its parent, 0 to 2 along each axis.
template <int D>
Index<D> position_in_parent(Key<D> key) {
  Index<D> position = cell_of<D>(key).at;
  for (int& at : position) at %= 3;
  return position;
}

// Lexicographic child position (x fastest, 0 .. 3^d - 1) of the curve digit `digit` within the cell `parent`,
// and the inverse.
template <int D>
int child_position(const Cell<D>& parent, int digit);
template <int D>
int child_digit(const Cell<D>& parent, int position);

}  // namespace meander::mesh
