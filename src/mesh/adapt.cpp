// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Refinement, coarsening and balance: what the leaves vote for decides a set of refined cells, balance adds
// to it, and the new leaves are those between its cells.

#include <algorithm>

#include "base/assert.hpp"
#include "mesh/base_cells.hpp"
#include "mesh/leaf_family.hpp"
#include "mesh/refined_cells.hpp"
#include "mesh/spacetree.hpp"

namespace meander::mesh {
namespace {

// Collects the refined cells that the leaves of a tree vote for, in one walk along the curve.
template <int D>
class Votes {
 public:
  // No votes (an empty span) keep the tree as it is.
  Votes(std::span<const Key<D>> leaves, std::span<const Adapt> votes, int min_level, int max_level,
        RefinedCells<D>& refined)
      : leaves_(leaves), votes_(votes), min_level_(min_level), max_level_(max_level), refined_(refined) {}

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
    if (votes_.empty()) return Adapt::keep;
    if (level < min_level_) return Adapt::refine;
    if (level > max_level_) return Adapt::coarsen;
    if (votes_[leaf] == Adapt::refine) return level < max_level_ ? Adapt::refine : Adapt::keep;
    return level > min_level_ ? votes_[leaf] : Adapt::keep;
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
  int min_level_, max_level_;
  RefinedCells<D>& refined_;
  std::size_t next_ = 0;
};

template <int D>
RefinedCells<D> refined_cells(const Spacetree<D>& tree) {
  RefinedCells<D> refined(tree.domain());
  Votes<D>(tree.leaves(), {}, 0, Key<D>::max_level, refined).count(tree.domain());
  return refined;
}

}  // namespace

template <int D>
Spacetree<D> Spacetree<D>::adapted(std::span<const Adapt> adapt, int min_level, int max_level) const {
  MEANDER_ASSERT(adapt.size() == leaves_.size());
  MEANDER_ASSERT(min_level <= max_level && domain_.base_level <= max_level && max_level <= Key<D>::max_level);
  RefinedCells<D> refined(domain_);
  Votes<D>(leaves_, adapt, min_level, max_level, refined).count(domain_);
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

#define MEANDER_INSTANTIATE(D)                                                         \
  template Spacetree<D> Spacetree<D>::adapted(std::span<const Adapt>, int, int) const; \
  template Spacetree<D> Spacetree<D>::balanced() const;                                \
  template bool Spacetree<D>::is_balanced() const;
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::mesh
