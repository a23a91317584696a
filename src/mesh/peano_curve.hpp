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

// The Peano curve as a finite automaton, and cells packed into one word, for walks through whole trees.
//
// The state of a cell has one bit an axis, set if the axis is traversed backwards. The parity of 3 X + c is
// that of X + c. Hence the state of a child is that of its parent with the bits of `flips` for the child's
// position inverted.

template <int D>
constexpr Index<D> digits_of(int position) {
  Index<D> c{};
  for (int a = 0; a < D; ++a, position /= 3) c[static_cast<std::size_t>(a)] = position % 3;
  return c;
}

// Integer coordinates of a cell in one word. Linear: the child of x at a position is 3 x + the packed
// position, and neighbours differ by packed units.
template <int D>
struct Packed {
  static constexpr int axis_bits = D == 3 ? 21 : 32;
  static constexpr std::uint64_t axis_mask = (std::uint64_t{1} << axis_bits) - 1u;

  static constexpr std::uint64_t of(const Index<D>& at) {
    std::uint64_t word = 0;
    for (int a = 0; a < D; ++a)
      word |= static_cast<std::uint64_t>(at[static_cast<std::size_t>(a)]) << (axis_bits * a);
    return word;
  }
  static constexpr int axis(std::uint64_t word, int a) {
    return static_cast<int>((word >> (axis_bits * a)) & axis_mask);
  }
  static constexpr Index<D> at(std::uint64_t word) {
    Index<D> result{};
    for (int a = 0; a < D; ++a) result[static_cast<std::size_t>(a)] = axis(word, a);
    return result;
  }
};

template <int D>
struct PeanoTables {
  static constexpr int states = 1 << D;
  using Row = Vec<std::uint8_t, children<D>>;

  Vec<Row, states> position{};               // [state][digit]: lexicographic position
  Vec<Row, states> digit{};                  // [state][position]
  Row flips{};                               // [position]: state of the child xor state of the parent
  Vec<std::uint64_t, children<D>> offset{};  // [position]: packed coordinates of the position
  Vec<Index<D>, children<D>> coordinates{};  // [position]

  constexpr PeanoTables() {
    for (int p = 0; p < children<D>; ++p) {
      const auto c = digits_of<D>(p);
      const auto i = static_cast<std::size_t>(p);
      coordinates[i] = c;
      offset[i] = Packed<D>::of(c);
      int sum = 0, bits = 0;
      for (int x : c) sum += x;
      for (int a = 0; a < D; ++a) bits |= ((sum - c[static_cast<std::size_t>(a)]) % 2) << a;
      flips[i] = static_cast<std::uint8_t>(bits);
    }
    for (int s = 0; s < states; ++s) {
      for (int j = 0; j < children<D>; ++j) {
        const auto way = digits_of<D>(j);
        // Serpentine: a row is traversed backwards if the sum of the coordinates along the slower axes is
        // odd.
        int p = 0, slower = 0;
        for (int a = D - 1; a >= 0; --a) {
          const int c = ((s >> a) + slower) % 2 == 0 ? way[static_cast<std::size_t>(a)]
                                                     : 2 - way[static_cast<std::size_t>(a)];
          slower += c;
          p = 3 * p + c;
        }
        const auto row = static_cast<std::size_t>(s);
        position[row][static_cast<std::size_t>(j)] = static_cast<std::uint8_t>(p);
        digit[row][static_cast<std::size_t>(p)] = static_cast<std::uint8_t>(j);
      }
    }
  }
};

template <int D>
inline constexpr PeanoTables<D> peano_tables{};

// The cell that a walk along the curve has reached: coordinates and state. The walk knows the level.
template <int D>
struct Cursor {
  std::uint64_t at = 0;  // packed
  std::uint32_t state = 0;

  constexpr Cursor child_at(int position) const {
    const auto p = static_cast<std::size_t>(position);
    return {3 * at + peano_tables<D>.offset[p], state ^ peano_tables<D>.flips[p]};
  }
  constexpr int position(int digit) const {
    return peano_tables<D>.position[state][static_cast<std::size_t>(digit)];
  }
  constexpr int digit(int position) const {
    return peano_tables<D>.digit[state][static_cast<std::size_t>(position)];
  }
};

template <int D>
constexpr std::uint32_t state_of(const Index<D>& at) {
  int sum = 0;
  for (int x : at) sum += x;
  std::uint32_t state = 0;
  for (int a = 0; a < D; ++a) {
    state |= static_cast<std::uint32_t>((sum - at[static_cast<std::size_t>(a)]) & 1) << a;
  }
  return state;
}

}  // namespace meander::mesh
