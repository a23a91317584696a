// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include <bit>
#include <utility>

#include "base/assert.hpp"
#include "mesh/distributed_tree.hpp"
#include "mesh/domain.hpp"

namespace meander::mesh {
namespace {

// Number of leading levels, from the children of the root on, on which the paths of two cells agree.
template <int D>
int common_levels(Key<D> a, Key<D> b) {
  return std::countl_zero(a.bits ^ b.bits) / Key<D>::digit_bits;
}

// By number of levels: the path through last children only.
template <int D>
constexpr auto paths_of_last_children() {
  Vec<std::uint64_t, Key<D>::max_level + 1> paths{};
  Key<D> cell;
  for (std::size_t level = 0; level < paths.size(); ++level) {
    paths[level] = position_of(cell);
    if (level + 1 < paths.size()) cell = cell.child(children<D> - 1);
  }
  return paths;
}

// Whether two leaves of one base cell are adjacent on the curve.
template <int D>
bool follows(Key<D> from, Key<D> to) {
  static constexpr auto last = paths_of_last_children<D>();
  const int level = common_levels(from, to) + 1;
  const int shift = Key<D>::digit_bits * level;
  return to.digit(level) == from.digit(level) + 1 && position_of(to) << shift == 0 &&
         position_of(from) << shift == last[static_cast<std::size_t>(from.level() - level)];
}

// Fills gaps between leaves with the coarsest possible cells.
template <int D>
class Filler {
 public:
  explicit Filler(std::vector<Key<D>>& out) : out_(out) {}

  // Fills from the start of a base cell to a leaf in it.
  void begin(int base_level, Key<D> to) { ascend(base_level + 1, to); }
  // Fills from a leaf to a later one of the same base cell.
  void between(Key<D> from, Key<D> to) {
    const int common = common_levels(from, to);
    descend(common + 2, from);
    siblings(from.ancestor(common), from.digit(common + 1) + 1, to.digit(common + 1));
    ascend(common + 2, to);
  }
  // Fills from a leaf to the end of its base cell.
  void end(int base_level, Key<D> from) { descend(base_level + 1, from); }

 private:
  // Adds the siblings before a leaf and before its ancestors, from `level` downwards.
  void ascend(int level, Key<D> to) {
    for (; level <= to.level(); ++level) siblings(to.ancestor(level - 1), 0, to.digit(level));
  }
  // Adds the siblings after a leaf and after its ancestors, up to `level`.
  void descend(int level, Key<D> from) {
    for (int l = from.level(); l >= level; --l)
      siblings(from.ancestor(l - 1), from.digit(l) + 1, children<D>);
  }
  void siblings(Key<D> parent, int begin, int end) {
    for (int digit = begin; digit < end; ++digit) out_.push_back(parent.child(digit));
  }

  std::vector<Key<D>>& out_;
};

}  // namespace

template <int D>
Spacetree<D> complete_tree(const Domain<D>& domain, std::span<const Key<D>> leaves,
                           std::vector<std::size_t>* index) {
  std::vector<Key<D>> result;
  result.reserve(leaves.size() + 64);
  if (index != nullptr) index->resize(leaves.size());
  Filler<D> fill(result);
  std::size_t next = 0;
  visit_base_cells(domain, [&](const BaseCell<D>& base) {
    if (next == leaves.size() || !base.key.contains(leaves[next])) {
      result.push_back(base.key);
      return true;
    }
    const int level = domain.base_level;
    const std::uint64_t after = level == 0 ? Partition<D>::no_position : position_after(base.key);
    fill.begin(level, leaves[next]);
    for (;;) {
      const std::size_t run = next++;
      while (next < leaves.size() && leaves[next].bits < after && follows(leaves[next - 1], leaves[next]))
        ++next;
      if (index != nullptr) {
        for (std::size_t i = run; i < next; ++i) (*index)[i] = result.size() + (i - run);
      }
      result.insert(result.end(), leaves.data() + run, leaves.data() + next);
      if (next == leaves.size() || leaves[next].bits >= after) break;
      fill.between(leaves[next - 1], leaves[next]);
    }
    fill.end(level, leaves[next - 1]);
    return true;
  });
  MEANDER_ASSERT(next == leaves.size());
  return {domain, std::move(result)};
}

template Spacetree<2> complete_tree(const Domain<2>&, std::span<const Key<2>>, std::vector<std::size_t>*);
template Spacetree<3> complete_tree(const Domain<3>&, std::span<const Key<3>>, std::vector<std::size_t>*);

}  // namespace meander::mesh
