// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The linear spacetree: only the leaves, as keys sorted along the Peano curve. Its algorithms follow p4est
// (Burstedde, Wilcox, Ghattas 2011; Isaac et al. 2015) with tripartitioning and the Peano curve.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mesh/domain.hpp"
#include "mesh/peano_curve.hpp"

namespace meander::mesh {

// The flag of a leaf for adaptation. A family is coarsened only if all its 3^d leaves are flagged coarsen.
enum class Adapt : std::int8_t { coarsen = -1, keep = 0, refine = 1 };

// The origin of a leaf of a new tree in an old tree.
struct Origin {
  enum class Kind : std::uint8_t { same, refined, coarsened };
  // same: that leaf; refined: the old leaf that contains it; coarsened: the first of the old leaves that it
  // replaces (they are contiguous; all are descendants of the new leaf).
  std::int32_t old_leaf = 0;
  std::int32_t old_count = 1;  // number of old leaves that it replaces (1 unless coarsened)
  Kind kind = Kind::same;
};

template <int D>
class Spacetree {
 public:
  // All base cells refined down to `level` >= m.
  static Spacetree uniform(const Domain<D>& domain, int level);
  // From leaves in curve order that tile the domain (checked in debug builds).
  Spacetree(const Domain<D>& domain, std::vector<Key<D>> leaves);

  const Domain<D>& domain() const { return domain_; }
  std::span<const Key<D>> leaves() const { return leaves_; }
  std::size_t size() const { return leaves_.size(); }

  // One round of refinement and coarsening by one level, then full balance: leaves that touch by a face, edge
  // or corner (also across periodic borders) differ by at most one level. Refinement takes precedence: a
  // family is not coarsened where balance forbids it. Levels stay within [max(min_level, m), max_level].
  // Leaves outside these limits are flagged refine if too coarse and coarsen if too fine, whatever `adapt`
  // says. `adapt` has one entry for each leaf. min_level <= max_level, m <= max_level <= Key<D>::max_level.
  Spacetree adapted(std::span<const Adapt> adapt, int min_level, int max_level) const;

  // The coarsest balanced tree that refines this one. Idempotent.
  Spacetree balanced() const;

  // The leaf that contains the point (in the user's length unit); -1 outside the domain. Points on shared
  // faces belong to the upper cell, points on the upper border of the domain to the last one. This is exact:
  // a leaf contains the points with domain().face() of its lower faces <= x < that of its upper faces.
  std::int32_t find(const Point<D>& x) const;
  // As above for many points, about twice as fast. owners.size() == points.size().
  void find(std::span<const Point<D>> points, std::span<std::int32_t> owners) const;

  // Whether the leaves are sorted and tile the domain.
  bool is_valid() const { return tiles(domain_, leaves_); }
  // Whether leaves in curve order tile the domain without gap or overlap, as the constructor requires.
  static bool tiles(const Domain<D>& domain, std::span<const Key<D>> leaves);
  bool is_balanced() const;

 private:
  Domain<D> domain_;
  std::vector<Key<D>> leaves_;
};

// The origin of each leaf of `next`. Both lists tile the same piece of the curve. Refinement is by one level
// at most, coarsening by any number of levels.
template <int D>
std::vector<Origin> origins(std::span<const Key<D>> previous, std::span<const Key<D>> next);
template <int D>
std::vector<Origin> origins(const Spacetree<D>& previous, const Spacetree<D>& next) {
  return origins<D>(previous.leaves(), next.leaves());
}

// Families: the children of a refined cell, if all of them are leaves. Most refined cells have one, and a
// walk through a valid tree recognises it from two keys.

// Whether all children of a refined cell are leaves. `first` is the index of the cell's first leaf in a valid
// tree. Each of the 3^d children contains at least one leaf; if the (3^d - 1)-th leaf after the first child
// is the last child, none contains more.
template <int D>
bool is_leaf_family(std::span<const Key<D>> leaves, std::size_t first, int child_level) {
  const std::size_t last = first + (children<D> - 1);
  if (last >= leaves.size()) return false;
  const std::uint64_t way = static_cast<std::uint64_t>(children<D> - 1) << Key<D>::shift(child_level);
  return leaves[last].bits - leaves[first].bits == way;
}

// Search of the leaf that contains a point: the key of the finest cell there, then a search in the sorted
// leaves.

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
