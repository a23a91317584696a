// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Search of the leaf that contains a point: the key of the finest cell there, then a search in the sorted
// leaves.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "mesh/domain.hpp"

namespace meander::mesh {

// Number of points in one interleaved search, so that their cache misses overlap.
inline constexpr std::size_t points_in_step = 32;

// The level-max_level cell along one axis that contains the coordinate x, as defined by Domain::face(); -1 if
// outside.
template <int D>
int finest_cell(const Domain<D>& domain, int axis, double x) {
  constexpr int level = Key<D>::max_level;
  const int n = domain.cells(level, axis);
  if (!(x >= domain.lower[axis] && x <= domain.face(level, axis, n))) return -1;
  const double scale = power_of_3(level - domain.base_level) / domain.base_width;
  int i = std::clamp(static_cast<int>((x - domain.lower[axis]) * scale), 0, n - 1);
  // Round-off may have put x on the wrong side of a face.
  while (i > 0 && x < domain.face(level, axis, i)) --i;
  while (i < n - 1 && x >= domain.face(level, axis, i + 1)) ++i;
  return i;
}

// The finest cells that contain the points (at most points_in_step). Points outside the domain have inside[i]
// == false and the first key.
template <int D>
void finest_keys(const Domain<D>& domain, std::span<const Point<D>> points,
                 std::array<std::uint64_t, points_in_step>& keys, std::array<bool, points_in_step>& inside) {
  keys.fill(0);
  for (std::size_t i = 0; i < points.size(); ++i) {
    Cell<D> cell{.level = Key<D>::max_level};
    inside[i] = true;
    for (int a = 0; a < D; ++a) {
      cell.at[a] = finest_cell(domain, a, points[i][a]);
      inside[i] = inside[i] && cell.at[a] >= 0;
    }
    if (inside[i]) keys[i] = key_of<D>(cell).bits;
  }
}

// Sets owner[i] to the last leaf whose key is not above keys[i], or to 0.
template <int D, std::size_t N>
void last_not_above(std::span<const Key<D>> leaves, const std::array<std::uint64_t, N>& keys,
                    std::array<std::uint32_t, N>& owner) {
  owner.fill(0);
  for (auto length = static_cast<std::uint32_t>(leaves.size()); length > 1;) {
    const std::uint32_t half = length / 2;
    for (std::size_t i = 0; i < N; ++i) {
      const std::uint32_t middle = owner[i] + half;
      owner[i] = leaves[middle].bits <= keys[i] ? middle : owner[i];
    }
    length -= half;
  }
}

}  // namespace meander::mesh
