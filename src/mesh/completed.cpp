// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/assert.hpp"
#include "mesh/base_cells.hpp"
#include "mesh/distributed_tree.hpp"

namespace meander::mesh {
namespace {

// Writes leaves of one base cell after the other and the coarsest cells between them.
template <int D>
class Completion {
 public:
  explicit Completion(std::size_t leaves) { result_.reserve(leaves + 64); }

  // From the start of a base cell to a leaf in it.
  void begin(int base_level, Key<D> to) { ascend(base_level + 1, to); }
  // From a leaf to a later one of the same base cell.
  void between(Key<D> from, Key<D> to) {
    if (from.level() == to.level() && to.bits - from.bits == std::uint64_t{1} << Key<D>::shift(to.level()))
      return;
    int common = 0;
    while (from.digit(common + 1) == to.digit(common + 1)) ++common;
    descend(common + 2, from);
    siblings(from.ancestor(common), from.digit(common + 1) + 1, to.digit(common + 1));
    ascend(common + 2, to);
  }
  // From a leaf to the end of its base cell.
  void end(int base_level, Key<D> from) { descend(base_level + 1, from); }

  void add(Key<D> cell) { result_.push_back(cell); }
  std::size_t size() const { return result_.size(); }
  std::vector<Key<D>> take() { return std::move(result_); }

 private:
  // Ahead of a leaf and its ancestors down from `level`, their siblings.
  void ascend(int level, Key<D> to) {
    for (; level <= to.level(); ++level) siblings(to.ancestor(level - 1), 0, to.digit(level));
  }
  // Behind a leaf and its ancestors up to `level`, their siblings.
  void descend(int level, Key<D> from) {
    for (int l = from.level(); l >= level; --l)
      siblings(from.ancestor(l - 1), from.digit(l) + 1, children<D>);
  }
  void siblings(Key<D> parent, int begin, int end) {
    for (int digit = begin; digit < end; ++digit) result_.push_back(parent.child(digit));
  }

  std::vector<Key<D>> result_;
};

}  // namespace

template <int D>
Spacetree<D> completed(const Domain<D>& domain, std::span<const Key<D>> leaves,
                       std::vector<std::size_t>* index) {
  Completion<D> out(leaves.size());
  if (index != nullptr) index->resize(leaves.size());
  std::size_t next = 0;
  visit_base_cells(domain, [&](const BaseCell<D>& base) {
    if (next == leaves.size() || !base.key.contains(leaves[next])) {
      out.add(base.key);
      return true;
    }
    const int level = domain.base_level;
    // Behind the base cell's last descendant, which no digit reaches.
    const std::uint64_t behind = level == 0 ? ~std::uint64_t{0} : position_behind(base.key);
    out.begin(level, leaves[next]);
    for (;;) {
      if (index != nullptr) (*index)[next] = out.size();
      out.add(leaves[next]);
      if (++next == leaves.size() || leaves[next].bits >= behind) break;
      out.between(leaves[next - 1], leaves[next]);
    }
    out.end(level, leaves[next - 1]);
    return true;
  });
  MEANDER_ASSERT(next == leaves.size());
  return {domain, out.take()};
}

template Spacetree<2> completed(const Domain<2>&, std::span<const Key<2>>, std::vector<std::size_t>*);
template Spacetree<3> completed(const Domain<3>&, std::span<const Key<3>>, std::vector<std::size_t>*);

}  // namespace meander::mesh
