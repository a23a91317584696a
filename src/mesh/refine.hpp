// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Refinement and coarsening by a predicate on cells, without balance: for the construction of the first tree.

#include <algorithm>
#include <utility>
#include <vector>

#include "mesh/distributed_tree.hpp"
#include "mesh/domain.hpp"
#include "mesh/spacetree.hpp"
#include "mesh/uninitialized.hpp"

namespace meander::mesh {

namespace detail {

// Refines the leaves with numbers [begin, end) of a tree.
template <int D, class Where>
class RecursiveRefinement {
 public:
  RecursiveRefinement(std::span<const Key<D>> leaves, std::size_t begin, std::size_t end, int max_level,
                      Where& where)
      : leaves_(leaves), begin_(begin), end_(end), max_level_(max_level), where_(where) {}

  // The new leaves in their place.
  std::vector<Key<D>> leaves(const Domain<D>& domain) {
    visit_base_cells(domain, [&](const BaseCell<D>& base) {
      visit(base.key, base.cursor);
      return true;
    });
    std::vector<Key<D>> result;
    result.reserve(full_size_ + size_);
    for (const auto& chunk : full_) result.insert(result.end(), chunk.begin(), chunk.end());
    result.insert(result.end(), chunk_.begin(), chunk_.begin() + static_cast<std::ptrdiff_t>(size_));
    return result;
  }

 private:
  void visit(Key<D> cell, const Cursor<D>& cursor) {
    if (leaves_[next_].level() > cell.level()) {
      for (int digit = 0; digit < children<D>; ++digit) {
        visit(cell.child(digit), cursor.child_at(cursor.position(digit)));
      }
    } else {
      if (begin_ <= next_ && next_ < end_) refine(cell, cursor);
      ++next_;
    }
  }

  void refine(Key<D> cell, const Cursor<D>& cursor) {
    if (wanted(cell.level(), Packed<D>::at(cursor.at))) {
      refine_below(cell, cursor);
    } else {
      make_room();
      chunk_[size_++] = cell;
    }
  }

  void refine_below(Key<D> cell, const Cursor<D>& cursor) {
    make_room();
    const int level = cell.level() + 1;
    const Key<D> first = cell.child(0);
    const std::uint64_t step = std::uint64_t{1} << Key<D>::shift(level);
    const Index<D> corner = Packed<D>::at(3 * cursor.at);
    for (int digit = 0; digit < children<D>; ++digit) {
      const int position = cursor.position(digit);
      Index<D> at = peano_tables<D>.coordinates[static_cast<std::size_t>(position)];
      for (int a = 0; a < D; ++a) at[a] += corner[a];
      const Key<D> child{first.bits + static_cast<std::uint64_t>(digit) * step};
      if (wanted(level, at)) {
        refine_below(child, cursor.child_at(position));
        make_room();
      } else {
        chunk_[size_++] = child;
      }
    }
  }

  bool wanted(int level, const Index<D>& at) { return level < max_level_ && where_(Cell<D>{at, level}); }

  // Ensures room for a family.
  void make_room() {
    if (size_ + children < D >> chunk_.size()) next_chunk();
  }
  // Each chunk is as large as all earlier ones; all are copied once, at the end.
  void next_chunk() {
    chunk_.resize(size_);
    full_size_ += size_;
    full_.push_back(std::move(chunk_));
    chunk_ = UninitializedVector<Key<D>>(std::max<std::size_t>(1024, full_size_));
    size_ = 0;
  }

  std::span<const Key<D>> leaves_;
  std::size_t begin_, end_;
  int max_level_;
  Where& where_;
  std::size_t next_ = 0;
  std::vector<UninitializedVector<Key<D>>> full_;
  std::size_t full_size_ = 0;
  UninitializedVector<Key<D>> chunk_;
  std::size_t size_ = 0;  // of the written part of the chunk
};

// Replaces families of leaves by their parent if `where` permits it.
template <int D, class Where>
std::vector<Key<D>> coarsened_leaves(int base_level, std::span<const Key<D>> leaves, Where& where) {
  std::vector<Key<D>> result(leaves.size());
  Key<D>* out = result.data();
  for (std::size_t i = 0; i < leaves.size();) {
    // A leaf with digit 0 may begin a family; base cells and coarser ones have none.
    const Key<D> leaf = leaves[i];
    const int level = leaf.level();
    if (level > base_level && leaf.digit(level) == 0 && is_leaf_family(leaves, i, level) &&
        where(cell_of(leaf.parent()))) {
      *out++ = leaf.parent();
      i += children<D>;
    } else {
      *out++ = leaf;
      ++i;
    }
  }
  result.resize(static_cast<std::size_t>(out - result.data()));
  return result;
}

}  // namespace detail

// Refines every leaf, and recursively its children, while where(const Cell<D>&) is true and their level is
// below max_level <= Key<D>::max_level. The result is not balanced. Linear in the number of new leaves.
template <int D, class Where>
Spacetree<D> refined_where(const Spacetree<D>& tree, int max_level, Where&& where) {
  detail::RecursiveRefinement<D, Where> refinement(tree.leaves(), 0, tree.size(), max_level, where);
  return {tree.domain(), refinement.leaves(tree.domain())};
}

// Coarsens every family of 3^d leaves for whose parent where(const Cell<D>&) is true, by one level, to level
// m at the coarsest. A balanced tree may lose its balance. Linear in the number of leaves.
template <int D, class Where>
Spacetree<D> coarsened_where(const Spacetree<D>& tree, Where&& where) {
  return {tree.domain(), detail::coarsened_leaves<D>(tree.domain().base_level, tree.leaves(), where)};
}

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
