// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/peano_curve.hpp"

#include "base/assert.hpp"
#include "mesh/peano_tables.hpp"

namespace meander::mesh {

template <int D>
Key<D> key_of(const Cell<D>& cell) {
  MEANDER_ASSERT(cell.level >= 0 && cell.level <= Key<D>::max_level);
  // Positions from the finest level up, digits from the root down: only the root's state is known beforehand.
  Vec<std::uint8_t, Key<D>::max_level> positions;
  Vec<unsigned, D> at;
  for (int a = 0; a < D; ++a) {
    MEANDER_ASSERT(cell.at[a] >= 0 && cell.at[a] < ipow(3, cell.level));
    at[a] = static_cast<unsigned>(cell.at[a]);
  }
  for (int level = cell.level - 1; level >= 0; --level) {
    unsigned p = 0;
    for (int a = D - 1; a >= 0; --a) {
      p = 3 * p + at[a] % 3;
      at[a] /= 3;
    }
    positions[static_cast<std::size_t>(level)] = static_cast<std::uint8_t>(p);
  }
  std::uint64_t path = 0;
  std::size_t state = 0;
  for (int level = 0; level < cell.level; ++level) {
    const std::size_t p = positions[static_cast<std::size_t>(level)];
    path = (path << Key<D>::digit_bits) | peano_tables<D>.digit[state][p];
    state ^= peano_tables<D>.flips[p];
  }
  if (cell.level > 0) path <<= Key<D>::shift(cell.level);
  return {path | static_cast<std::uint64_t>(cell.level)};
}

template <int D>
Cell<D> cell_of(Key<D> key) {
  Place<D> place;
  const int level = key.level();
  for (int l = 1; l <= level; ++l) place = place.child_at(place.position(key.digit(l)));
  return {Packed<D>::at(place.at), level};
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
