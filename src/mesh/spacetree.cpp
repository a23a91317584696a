// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/spacetree.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/assert.hpp"
#include "mesh/base_cells.hpp"
#include "mesh/leaf_family.hpp"

namespace meander::mesh {
namespace {

template <int D>
Key<D>* write_uniform(Key<D> cell, int level, Key<D>* out) {
  if (cell.level() == level) {
    *out = cell;
    return out + 1;
  }
  for (int digit = 0; digit < children<D>; ++digit) out = write_uniform<D>(cell.child(digit), level, out);
  return out;
}

// Index behind the leaves that tile `cell`, given that of the first one; a number beyond the end if they do
// not.
template <int D>
std::size_t end_of_tiling(std::span<const Key<D>> leaves, std::size_t first, Key<D> cell) {
  const std::size_t failed = leaves.size() + 1;
  if (first >= leaves.size()) return failed;
  const Key<D> leaf = leaves[first];
  if (leaf == cell) return first + 1;
  if (cell.level() == Key<D>::max_level || !cell.contains(leaf)) return failed;
  std::size_t next = first;
  for (int digit = 0; digit < children<D> && next != failed; ++digit) {
    next = end_of_tiling<D>(leaves, next, cell.child(digit));
  }
  return next;
}

// The level-max_level cell along one axis that holds the coordinate x, by the domain's own faces; -1 if
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

// Sets owner[i] to the last leaf whose key is not above keys[i]. All searches go on in step, so that their
// cache misses overlap.
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

}  // namespace

template <int D>
Spacetree<D>::Spacetree(const Domain<D>& domain, std::vector<Key<D>> leaves)
    : domain_(domain), leaves_(std::move(leaves)) {
  MEANDER_ASSERT(is_valid());
}

template <int D>
Spacetree<D> Spacetree<D>::uniform(const Domain<D>& domain, int level) {
  MEANDER_ASSERT(domain.is_valid() && level >= domain.base_level && level <= Key<D>::max_level);
  const auto per_base_cell = ipow<std::size_t>(children<D>, level - domain.base_level);
  std::vector<Key<D>> leaves(domain.number_of_base_cells() * per_base_cell);
  Key<D>* out = leaves.data();
  visit_base_cells(domain, [&](const BaseCell<D>& base) {
    out = write_uniform<D>(base.key, level, out);
    return true;
  });
  return Spacetree(domain, std::move(leaves));
}

template <int D>
std::int32_t Spacetree<D>::find(const Point<D>& x) const {
  std::int32_t owner = -1;
  find(std::span(&x, 1), std::span(&owner, 1));
  return owner;
}

template <int D>
void Spacetree<D>::find(std::span<const Point<D>> points, std::span<std::int32_t> owners) const {
  MEANDER_ASSERT(points.size() == owners.size());
  constexpr std::size_t block = 32;
  std::array<std::uint64_t, block> keys;
  std::array<std::uint32_t, block> found;
  for (std::size_t begin = 0; begin < points.size(); begin += block) {
    const std::size_t count = std::min(block, points.size() - begin);
    keys.fill(0);
    for (std::size_t i = 0; i < count; ++i) {
      Cell<D> cell{.level = Key<D>::max_level};
      bool inside = true;
      for (int a = 0; a < D; ++a) {
        cell.at[a] = finest_cell(domain_, a, points[begin + i][a]);
        inside = inside && cell.at[a] >= 0;
      }
      owners[begin + i] = inside ? 0 : -1;
      if (inside) keys[i] = key_of<D>(cell).bits;
    }
    if (count == 1) {
      const auto above = std::upper_bound(leaves_.begin(), leaves_.end(), Key<D>{keys[0]});
      found[0] = static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(1, above - leaves_.begin()) - 1);
    } else {
      last_not_above<D>(leaves_, keys, found);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (owners[begin + i] == 0) owners[begin + i] = static_cast<std::int32_t>(found[i]);
    }
  }
}

template <int D>
bool Spacetree<D>::tiles(const Domain<D>& domain, std::span<const Key<D>> leaves) {
  if (!domain.is_valid() || leaves.size() > static_cast<std::size_t>(INT32_MAX)) return false;
  std::size_t next = 0;
  const bool tiled = visit_base_cells(domain, [&](const BaseCell<D>& base) {
    next = end_of_tiling<D>(leaves, next, base.key);
    return next <= leaves.size();
  });
  return tiled && next == leaves.size();
}

#define MEANDER_INSTANTIATE(D)                                                                \
  template Spacetree<D>::Spacetree(const Domain<D>&, std::vector<Key<D>>);                    \
  template Spacetree<D> Spacetree<D>::uniform(const Domain<D>&, int);                         \
  template std::int32_t Spacetree<D>::find(const Point<D>&) const;                            \
  template void Spacetree<D>::find(std::span<const Point<D>>, std::span<std::int32_t>) const; \
  template bool Spacetree<D>::tiles(const Domain<D>&, std::span<const Key<D>>);
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::mesh
