// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The Peano curve as a finite automaton, and cells packed into one word, for walks through whole trees.
//
// The state of a cell has one bit an axis, set if the axis is traversed backwards. The parity of 3 X + c is
// that of X + c. Hence the state of a child is that of its parent with the bits of `flips` for the child's
// position inverted.

#include <cstdint>

#include "mesh/peano_curve.hpp"

namespace meander::mesh {

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
