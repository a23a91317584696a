// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// DistributedTree::refined_where() and coarsened_where(): each rank handles its own leaves.

#include <vector>

#include "mesh/distributed_tree.hpp"
#include "mesh/refine.hpp"

namespace meander::mesh {

template <int D>
template <class Where>
DistributedTree<D> DistributedTree<D>::refined_where(int max_level, Where&& where) const {
  using Refinement = detail::RecursiveRefinement<D, Where>;
  if (communicator_.size() == 1) {
    return {domain_, Refinement(leaves_, 0, leaves_.size(), max_level, where).leaves(domain_), communicator_};
  }
  std::vector<std::size_t> index;
  const auto whole = complete_tree<D>(domain_, leaves_, &index);
  const std::size_t begin = index.empty() ? 0 : index.front();
  Refinement refinement(whole.leaves(), begin, begin + leaves_.size(), max_level, where);
  return {domain_, refinement.leaves(domain_), communicator_};
}

template <int D>
template <class Where>
DistributedTree<D> DistributedTree<D>::coarsened_where(Where&& where) const {
  return {domain_, detail::coarsened_leaves<D>(domain_.base_level, leaves_, where), communicator_};
}

}  // namespace meander::mesh
