// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The linear spacetree: only the leaves, as keys sorted along the Peano curve. Its algorithms follow p4est
// (Burstedde, Wilcox, Ghattas 2011; Isaac et al. 2015) with tripartitioning and the Peano curve.

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/domain.hpp"

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

}  // namespace meander::mesh
