// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/spacetree.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/assert.hpp"
#include "mesh/domain.hpp"
#include "mesh/refined_cells.hpp"

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

// The end index of the leaves that tile `cell`, given the index of the first one; leaves.size() + 1 if none
// do.
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
  std::array<std::uint64_t, points_in_step> keys;
  std::array<bool, points_in_step> inside;
  std::array<std::uint32_t, points_in_step> found;
  for (std::size_t begin = 0; begin < points.size(); begin += points_in_step) {
    const std::size_t count = std::min(points_in_step, points.size() - begin);
    finest_keys<D>(domain_, points.subspan(begin, count), keys, inside);
    if (count == 1) {
      const auto above = std::upper_bound(leaves_.begin(), leaves_.end(), Key<D>{keys[0]});
      found[0] = static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(1, above - leaves_.begin()) - 1);
    } else {
      last_not_above<D>(leaves_, keys, found);
    }
    for (std::size_t i = 0; i < count; ++i)
      owners[begin + i] = inside[i] ? static_cast<std::int32_t>(found[i]) : -1;
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

// Refinement, coarsening and balance: the flags of the leaves define a set of refined cells, balance adds to
// it, and the new leaves are the unrefined children of its cells.

namespace {

template <int D>
RefinedCells<D> refined_cells(const Spacetree<D>& tree) {
  RefinedCells<D> refined(tree.domain());
  AdaptFlags<D>(tree.leaves(), {}, 0, {}, refined).collect(tree.domain());
  return refined;
}

}  // namespace

template <int D>
Spacetree<D> Spacetree<D>::adapted(std::span<const Adapt> adapt, int min_level, int max_level) const {
  MEANDER_ASSERT(adapt.size() == leaves_.size());
  MEANDER_ASSERT(min_level <= max_level && domain_.base_level <= max_level && max_level <= Key<D>::max_level);
  RefinedCells<D> refined(domain_);
  AdaptFlags<D>(leaves_, adapt, 0, {min_level, max_level}, refined).collect(domain_);
  refined.balance();
  return Spacetree(domain_, refined.leaves());
}

template <int D>
Spacetree<D> Spacetree<D>::balanced() const {
  auto refined = refined_cells(*this);
  refined.balance();
  return Spacetree(domain_, refined.leaves());
}

template <int D>
bool Spacetree<D>::is_balanced() const {
  return refined_cells(*this).is_balanced();
}

template <int D>
std::vector<Origin> origins(std::span<const Key<D>> before, std::span<const Key<D>> after) {
  std::vector<Origin> result(after.size());
  std::size_t old = 0;
  for (std::size_t i = 0; i < after.size();) {
    MEANDER_ASSERT(old < before.size());
    const auto first = static_cast<std::int32_t>(old);
    if (before[old] == after[i]) {
      result[i++] = {first, 1, Origin::Kind::same};
      ++old;
    } else if (before[old].level() < after[i].level()) {
      MEANDER_ASSERT(before[old].contains(after[i]));
      while (i < after.size() && before[old].contains(after[i]))
        result[i++] = {first, 1, Origin::Kind::refined};
      ++old;
    } else {
      MEANDER_ASSERT(after[i].contains(before[old]));
      while (old < before.size() && after[i].contains(before[old])) ++old;
      result[i++] = {first, static_cast<std::int32_t>(old) - first, Origin::Kind::coarsened};
    }
  }
  MEANDER_ASSERT(old == before.size());
  return result;
}

template std::vector<Origin> origins(std::span<const Key<2>>, std::span<const Key<2>>);
template std::vector<Origin> origins(std::span<const Key<3>>, std::span<const Key<3>>);
template class Spacetree<2>;
template class Spacetree<3>;

}  // namespace meander::mesh
