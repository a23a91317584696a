// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The linear spacetree: the leaves alone, as keys sorted along the Peano curve. Its algorithms follow p4est
// (Burstedde, Wilcox, Ghattas 2011; Isaac et al. 2015) with tripartitioning and the Peano curve.

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/domain.hpp"

namespace meander::mesh {

// What shall become of a leaf. A family is coarsened only if all its 3^d leaves say coarsen.
enum class Adapt : std::int8_t { coarsen = -1, keep = 0, refine = 1 };

// How the leaves of a new tree arise from those of an old one; one entry a new leaf, in curve order.
struct Origin {
  enum class Kind : std::uint8_t { same, refined, coarsened };
  std::int32_t old_leaf =
      0;  // same: that leaf; refined: the old leaf it lies in; coarsened: the first of the old
          // leaves it replaces (they are contiguous; all are descendants of the new leaf)
  std::int32_t old_count = 1;  // number of old leaves it replaces (1 unless coarsened)
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
  // or corner (across periodic borders too) differ by at most one level. Refinement wins over coarsening: a
  // family is not coarsened where balance forbids it. Levels stay within [max(min_level, m), max_level]; of a
  // tree that is not within yet, leaves that are too coarse are refined and leaves that are too fine say
  // coarsen, whatever `adapt` wants. `adapt` has one entry a leaf. min_level <= max_level, m <= max_level <=
  // Key<D>::max_level.
  Spacetree adapted(std::span<const Adapt> adapt, int min_level, int max_level) const;

  // The coarsest balanced tree that refines this one. Idempotent.
  Spacetree balanced() const;

  // The leaf holding the point (in the user's length unit); points on shared faces belong to the upper cell,
  // those on the domain's upper border to the last one. -1 outside the domain. Round-off does not blur this:
  // a leaf holds exactly the points with domain().face() of its lower faces <= x < that of its upper faces.
  std::int32_t find(const Point<D>& x) const;
  // The same for many points, about twice as fast. owners.size() == points.size().
  void find(std::span<const Point<D>> points, std::span<std::int32_t> owners) const;

  // Sorted, no overlap, no gap, inside the domain.
  bool is_valid() const { return tiles(domain_, leaves_); }
  // Whether such leaves, in curve order, tile the domain without gap or overlap: what the constructor
  // requires.
  static bool tiles(const Domain<D>& domain, std::span<const Key<D>> leaves);
  bool is_balanced() const;

 private:
  Domain<D> domain_;
  std::vector<Key<D>> leaves_;
};

// For each leaf of `next`, where it comes from. Both lists tile the same piece of the curve, and levels
// differ by at most one for refinement; any number of levels is accepted for coarsening.
template <int D>
std::vector<Origin> origins(std::span<const Key<D>> previous, std::span<const Key<D>> next);
template <int D>
std::vector<Origin> origins(const Spacetree<D>& previous, const Spacetree<D>& next) {
  return origins<D>(previous.leaves(), next.leaves());
}

}  // namespace meander::mesh
