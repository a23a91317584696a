// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Refinement, coarsening and balance: the flags of the leaves define a set of refined cells, balance adds to
// it, and the new leaves are the unrefined children of its cells.

#include "base/assert.hpp"
#include "mesh/adapt_flags.hpp"
#include "mesh/refined_cells.hpp"
#include "mesh/spacetree.hpp"

namespace meander::mesh {
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

#define MEANDER_INSTANTIATE(D)                                                         \
  template Spacetree<D> Spacetree<D>::adapted(std::span<const Adapt>, int, int) const; \
  template Spacetree<D> Spacetree<D>::balanced() const;                                \
  template bool Spacetree<D>::is_balanced() const;
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::mesh
