// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The refined cells of a tree after adaptation by the flags of its leaves, before balance.

#include <cstdint>
#include <span>

#include "mesh/base_cells.hpp"
#include "mesh/leaf_family.hpp"
#include "mesh/refined_cells.hpp"
#include "mesh/spacetree.hpp"

namespace meander::mesh {

// The range of permitted levels.
struct LevelLimits {
  int min = 0, max = 0;

  // The flag that a leaf of this level gets.
  Adapt limited(Adapt flag, int level) const {
    if (level < min) return Adapt::refine;
    if (level > max) return Adapt::coarsen;
    if (flag == Adapt::refine) return level < max ? Adapt::refine : Adapt::keep;
    return level > min ? flag : Adapt::keep;
  }
};

// Collects the refined cells in one walk along the curve.
template <int D>
class AdaptFlags {
 public:
  // `flags`: of the leaves from number `first_flagged` on; all others are kept. An empty span keeps the tree
  // unchanged.
  AdaptFlags(std::span<const Key<D>> leaves, std::span<const Adapt> flags, std::size_t first_flagged,
             LevelLimits limits, RefinedCells<D>& refined)
      : leaves_(leaves), flags_(flags), first_flagged_(first_flagged), limits_(limits), refined_(refined) {}

  void collect(const Domain<D>& domain) {
    visit_base_cells(domain, [&](const BaseCell<D>& base) {
      const int level = domain.base_level;
      if (leaves_[next_].level() > level) {
        collect_below(level, base.cursor);
      } else if (flag_of(next_++, level) == Adapt::refine) {
        refined_.add(level, base.cursor.at, 0);
      }
      return true;
    });
  }

 private:
  Adapt flag_of(std::size_t leaf, int level) const {
    const std::size_t number = leaf - first_flagged_;
    return number < flags_.size() ? limits_.limited(flags_[number], level) : Adapt::keep;
  }

  // Returns whether the refined cell remains refined.
  bool collect_below(int level, const Cursor<D>& cell) {
    if (flags_.empty() && is_leaf_family(leaves_, next_, level + 1)) {
      next_ += children<D>;
      refined_.add(level, cell.at, 0);
      return true;
    }
    std::uint32_t refined_children = 0;
    bool coarsen = true;
    for (int digit = 0; digit < children<D>; ++digit) {
      const int position = cell.position(digit);
      bool refined;
      if (leaves_[next_].level() > level + 1) {
        refined = collect_below(level + 1, cell.child_at(position));
        coarsen = false;
      } else {
        const Adapt flag = flag_of(next_++, level + 1);
        coarsen = coarsen && flag == Adapt::coarsen;
        refined = flag == Adapt::refine;
        if (refined) refined_.add(level + 1, cell.child_at(position).at, 0);
      }
      refined_children |= static_cast<std::uint32_t>(refined) << position;
    }
    if (!coarsen) refined_.add(level, cell.at, refined_children);
    return !coarsen;
  }

  std::span<const Key<D>> leaves_;
  std::span<const Adapt> flags_;
  std::size_t first_flagged_;
  LevelLimits limits_;
  RefinedCells<D>& refined_;
  std::size_t next_ = 0;
};

}  // namespace meander::mesh
