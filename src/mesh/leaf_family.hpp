// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Families: the children of a refined cell, if all of them are leaves. Most refined cells have one, and a
// walk through a valid tree recognises it from two keys.

#include <span>

#include "mesh/peano_curve.hpp"

namespace meander::mesh {

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

}  // namespace meander::mesh
