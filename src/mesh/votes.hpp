// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the leaves of a tree vote for, as a set of refined cells.

#include <cstdint>
#include <span>

#include "mesh/base_cells.hpp"
#include "mesh/leaf_family.hpp"
#include "mesh/refined_cells.hpp"
#include "mesh/spacetree.hpp"

namespace meander::mesh {

// What becomes of a leaf's wish, given the limits of levels.
struct LevelLimits {
  int min = 0, max = 0;

  Adapt vote(Adapt wish, int level) const {
    if (level < min) return Adapt::refine;
    if (level > max) return Adapt::coarsen;
    if (wish == Adapt::refine) return level < max ? Adapt::refine : Adapt::keep;
    return level > min ? wish : Adapt::keep;
  }
};

// Collects the refined cells that the leaves of a tree vote for, in one walk along the curve.
template <int D>
class Votes {
 public:
  // The votes are those of the leaves from number `first_voter` on; the others keep as they are. No votes (an
  // empty span) keep the tree as it is.
  Votes(std::span<const Key<D>> leaves, std::span<const Adapt> votes, std::size_t first_voter,
        LevelLimits limits, RefinedCells<D>& refined)
      : leaves_(leaves), votes_(votes), first_voter_(first_voter), limits_(limits), refined_(refined) {}

  void count(const Domain<D>& domain) {
    visit_base_cells(domain, [&](const BaseCell<D>& base) {
      const int level = domain.base_level;
      if (leaves_[next_].level() > level) {
        count_below(level, base.place);
      } else if (vote(next_++, level) == Adapt::refine) {
        refined_.add(level, base.place.at, 0);
      }
      return true;
    });
  }

 private:
  Adapt vote(std::size_t leaf, int level) const {
    const std::size_t voter = leaf - first_voter_;
    return voter < votes_.size() ? limits_.vote(votes_[voter], level) : Adapt::keep;
  }

  // Returns whether this cell, refined so far, stays refined.
  bool count_below(int level, const Place<D>& cell) {
    if (votes_.empty() && is_leaf_family(leaves_, next_, level + 1)) {
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
        refined = count_below(level + 1, cell.child_at(position));
        coarsen = false;
      } else {
        const Adapt wish = vote(next_++, level + 1);
        coarsen = coarsen && wish == Adapt::coarsen;
        refined = wish == Adapt::refine;
        if (refined) refined_.add(level + 1, cell.child_at(position).at, 0);
      }
      refined_children |= static_cast<std::uint32_t>(refined) << position;
    }
    if (!coarsen) refined_.add(level, cell.at, refined_children);
    return !coarsen;
  }

  std::span<const Key<D>> leaves_;
  std::span<const Adapt> votes_;
  std::size_t first_voter_;
  LevelLimits limits_;
  RefinedCells<D>& refined_;
  std::size_t next_ = 0;
};

}  // namespace meander::mesh
