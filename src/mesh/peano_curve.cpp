// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/peano_curve.hpp"

#include <array>

#include "base/assert.hpp"

namespace meander::mesh {

namespace {

// The base-3 digits of 0 .. 242, one in each field of digit_bits: five levels of one axis in one look-up. The
// position of a child is at most 3^d - 1 and fits a field, so positions are sums of such words.
constexpr int chunk_levels = 5, chunk_size = 243;

template <int D>
constexpr std::array<std::uint32_t, chunk_size> spread_digits() {
  std::array<std::uint32_t, chunk_size> result{};
  for (unsigned i = 0; i < chunk_size; ++i) {
    unsigned rest = i;
    for (int level = 0; level < chunk_levels; ++level, rest /= 3)
      result[i] |= rest % 3 << (level * Key<D>::digit_bits);
  }
  return result;
}

}  // namespace

template <int D>
Key<D> key_of(const Cell<D>& cell) {
  static constexpr auto digits = spread_digits<D>();
  MEANDER_ASSERT(cell.level >= 0 && cell.level <= Key<D>::max_level);
  Vec<unsigned, D> at;
  for (int a = 0; a < D; ++a) {
    MEANDER_ASSERT(cell.at[a] >= 0 && cell.at[a] < ipow(3, cell.level));
    at[a] = static_cast<unsigned>(cell.at[a]);
  }
  // Positions in their parents, the finest level in the lowest field.
  std::uint64_t positions = 0;
  for (int level = 0; level < cell.level; level += chunk_levels) {
    std::uint64_t chunk = 0;
    for (int a = D - 1; a >= 0; --a) {
      chunk = 3 * chunk + digits[at[a] % chunk_size];
      at[a] /= chunk_size;
    }
    positions |= chunk << (level * Key<D>::digit_bits);
  }
  std::uint64_t path = 0;
  std::size_t state = 0;
  for (int level = cell.level - 1; level >= 0; --level) {
    const auto p = static_cast<std::size_t>(positions >> (level * Key<D>::digit_bits) &
                                            ((1u << Key<D>::digit_bits) - 1u));
    path = (path << Key<D>::digit_bits) | peano_tables<D>.digit[state][p];
    state ^= peano_tables<D>.flips[p];
  }
  if (cell.level > 0) path <<= Key<D>::shift(cell.level);
  return {path | static_cast<std::uint64_t>(cell.level)};
}

template <int D>
Cell<D> cell_of(Key<D> key) {
  Cursor<D> cursor;
  const int level = key.level();
  for (int l = 1; l <= level; ++l) cursor = cursor.child_at(cursor.position(key.digit(l)));
  return {Packed<D>::at(cursor.at), level};
}

template <int D>
int child_position(const Cell<D>& parent, int digit) {
  return peano_tables<D>.position[state_of<D>(parent.at)][static_cast<std::size_t>(digit)];
}

template <int D>
int child_digit(const Cell<D>& parent, int position) {
  return peano_tables<D>.digit[state_of<D>(parent.at)][static_cast<std::size_t>(position)];
}

#define MEANDER_INSTANTIATE(D)                         \
  template Key<D> key_of<D>(const Cell<D>&);           \
  template Cell<D> cell_of<D>(Key<D>);                 \
  template int child_position<D>(const Cell<D>&, int); \
  template int child_digit<D>(const Cell<D>&, int);
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::mesh
