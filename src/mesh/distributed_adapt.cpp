// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Refinement, coarsening and balance of the leaves of all ranks. No leaf moves to another rank, and
// adaptation does not change the position of a rank's first leaf: in the table only the numbers of leaves
// change.

#include <algorithm>

#include "base/assert.hpp"
#include "mesh/adapt_flags.hpp"
#include "mesh/distributed_tree.hpp"
#include "mesh/refined_cells.hpp"

namespace meander::mesh {
namespace {

// The refined cells of the completed tree after adaptation by this rank's flags, and the number of leaves of
// other ranks in that tree.
template <int D>
struct Around {
  explicit Around(const DistributedTree<D>& tree, std::span<const Adapt> flags, LevelLimits limits)
      : refined(tree.domain()) {
    if (tree.communicator().size() == 1) {
      AdaptFlags<D>(tree.leaves(), flags, 0, limits, refined).collect(tree.domain());
      return;
    }
    const auto whole = complete_tree(tree.domain(), tree.leaves());
    const auto first = tree.size() == 0 ? whole.leaves().begin()
                                        : std::lower_bound(whole.leaves().begin(), whole.leaves().end(),
                                                           tree.leaves().front());
    const auto own = static_cast<std::size_t>(first - whole.leaves().begin());
    AdaptFlags<D>(whole.leaves(), flags, own, limits, refined).collect(tree.domain());
    others = whole.size() - tree.size();
  }

  RefinedCells<D> refined;
  std::size_t others = 0;
};

template <int D>
std::vector<Key<D>> balanced_leaves(const DistributedTree<D>& tree, std::span<const Adapt> flags,
                                    LevelLimits limits) {
  const auto& communicator = tree.communicator();
  const auto& partition = tree.partition();
  const Ranks<D> ranks{communicator, partition};
  Around<D> around(tree, flags, limits);
  if (communicator.size() == 1) {
    around.refined.balance();
    return around.refined.leaves();
  }
  around.refined.balance(&ranks);
  return around.refined.leaves(partition.first_position(communicator.rank()),
                               partition.first_position(communicator.rank() + 1), around.others);
}

// Leading or trailing leaves of a rank that are consecutive siblings, all flagged coarsen.
struct Run {
  std::uint64_t parent = 0;
  std::int32_t digit = 0, count = 0;
};
struct Ends {
  Run head, tail;
};

template <int D>
class Runs {
 public:
  Runs(const DistributedTree<D>& tree, std::span<const Adapt> flags, LevelLimits limits)
      : leaves_(tree.leaves()), flags_(flags), limits_(limits), base_level_(tree.domain().base_level) {}

  Ends ends() const {
    Ends result;
    if (leaves_.empty() || !is_flagged(0)) return {{}, tail()};
    result.head = start(0);
    while (continues(static_cast<std::size_t>(result.head.count))) ++result.head.count;
    result.tail = tail();
    return result;
  }

 private:
  bool is_flagged(std::size_t leaf) const {
    const int level = leaves_[leaf].level();
    return level > base_level_ && limits_.limited(flags_[leaf], level) == Adapt::coarsen;
  }
  Run start(std::size_t leaf) const {
    return {leaves_[leaf].parent().bits, leaves_[leaf].digit(leaves_[leaf].level()), 1};
  }
  // Whether a leaf belongs to the run of the previous one.
  bool continues(std::size_t leaf) const {
    return leaf < leaves_.size() && is_flagged(leaf) && leaves_[leaf].level() == leaves_[leaf - 1].level() &&
           leaves_[leaf].parent() == leaves_[leaf - 1].parent();
  }
  Run tail() const {
    if (leaves_.empty() || !is_flagged(leaves_.size() - 1)) return {};
    std::size_t begin = leaves_.size() - 1;
    while (begin > 0 && continues(begin) && is_flagged(begin - 1)) --begin;
    Run run = start(begin);
    run.count = static_cast<std::int32_t>(leaves_.size() - begin);
    return run;
  }

  std::span<const Key<D>> leaves_;
  std::span<const Adapt> flags_;
  LevelLimits limits_;
  int base_level_;
};

}  // namespace

template <int D>
std::vector<std::int64_t> DistributedTree<D>::families_united(std::span<const Adapt> adapt, int min_level,
                                                              int max_level) const {
  MEANDER_ASSERT(adapt.size() == leaves_.size());
  const auto table = partition_.first_leaves();
  std::vector<std::int64_t> result(table.begin(), table.end());
  if (communicator_.size() == 1) return result;
  const auto ends = communicator_.all_gather(Runs<D>(*this, adapt, {min_level, max_level}).ends());
  const auto size = ends.size();
  for (std::size_t r = 0; r < size; ++r) {
    const Run first = ends[r].tail;
    if (first.count == 0 || first.count == children<D> || first.digit != 0) continue;
    std::int32_t count = first.count;
    std::size_t last = r;
    while (count < children<D> && ++last < size) {
      if (table[last] == table[last + 1]) continue;
      const Run next = ends[last].head;
      const bool fits = next.count > 0 && next.parent == first.parent && next.digit == count;
      const bool whole = next.count == table[last + 1] - table[last];
      if (!fits || (!whole && count + next.count < children<D>)) break;
      count += next.count;
    }
    if (count < children<D>) continue;
    const std::int64_t begin = table[r + 1] - first.count;
    for (std::size_t cut = r + 1; cut <= last; ++cut) result[cut] = begin + children<D>;
  }
  return result;
}

template <int D>
DistributedTree<D> DistributedTree<D>::adapted(std::span<const Adapt> adapt, int min_level,
                                               int max_level) const {
  MEANDER_ASSERT(adapt.size() == leaves_.size());
  return {domain_, balanced_leaves(*this, adapt, {min_level, max_level}), communicator_};
}

template <int D>
DistributedTree<D> DistributedTree<D>::balanced() const {
  return {domain_, balanced_leaves(*this, {}, {}), communicator_};
}

template <int D>
bool DistributedTree<D>::is_balanced() const {
  const Ranks<D> ranks{communicator_, partition_};
  return Around<D>(*this, {}, {}).refined.is_balanced(communicator_.size() == 1 ? nullptr : &ranks);
}

#define MEANDER_INSTANTIATE(D)                                                                             \
  template std::vector<std::int64_t> DistributedTree<D>::families_united(std::span<const Adapt>, int, int) \
      const;                                                                                               \
  template DistributedTree<D> DistributedTree<D>::adapted(std::span<const Adapt>, int, int) const;         \
  template DistributedTree<D> DistributedTree<D>::balanced() const;                                        \
  template bool DistributedTree<D>::is_balanced() const;
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::mesh
