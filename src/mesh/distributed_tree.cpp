// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/distributed_tree.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/assert.hpp"
#include "mesh/domain.hpp"
#include "mesh/refined_cells.hpp"
#include "mesh/spacetree.hpp"
#include "parallel/communicator.hpp"
#include "parallel/message_tags.hpp"

namespace meander::mesh {
namespace {

template <int D>
Partition<D> table_of(const parallel::Communicator& communicator, std::span<const Key<D>> leaves) {
  if (communicator.size() == 1) return Partition<D>(static_cast<std::int64_t>(leaves.size()));
  struct Row {
    std::int64_t leaves;
    Key<D> first;
  };
  const Row own{static_cast<std::int64_t>(leaves.size()), leaves.empty() ? Key<D>{} : leaves.front()};
  const auto rows = communicator.all_gather(own);
  std::vector<std::int64_t> first_leaf{0};
  for (const Row& row : rows) first_leaf.push_back(first_leaf.back() + row.leaves);
  return Partition<D>::with(std::move(first_leaf), [&](std::size_t rank) { return rows[rank].first; });
}

// Writes the leaves of a uniform tree with numbers in [begin, end).
template <int D>
class UniformPiece {
 public:
  UniformPiece(int level, std::int64_t begin, std::int64_t end) : level_(level), begin_(begin), end_(end) {}

  // `first`: number of the cell's first leaf. Returns the number after its last one.
  std::int64_t write(Key<D> cell, std::int64_t first, std::vector<Key<D>>& out) const {
    const std::int64_t after = first + ipow<std::int64_t>(children<D>, level_ - cell.level());
    if (after <= begin_ || first >= end_) return after;
    if (cell.level() == level_) {
      out.push_back(cell);
      return after;
    }
    for (int digit = 0; digit < children<D>; ++digit) first = write(cell.child(digit), first, out);
    return after;
  }

 private:
  int level_;
  std::int64_t begin_, end_;
};

// Whether leaves tile the positions [begin, end) of the domain.
template <int D>
class Tiling {
 public:
  Tiling(std::span<const Key<D>> leaves, std::uint64_t begin, std::uint64_t end)
      : leaves_(leaves), begin_(begin), end_(end) {}

  bool tiles(const Domain<D>& domain) {
    return visit_base_cells(domain, [&](const BaseCell<D>& base) { return tiles(base.key); }) &&
           next_ == leaves_.size();
  }

 private:
  bool tiles(Key<D> cell) {
    const std::uint64_t after = cell.level() == 0 ? Partition<D>::no_position : position_after(cell);
    if (after <= begin_ || position_of(cell) >= end_) return true;
    if (next_ < leaves_.size() && leaves_[next_] == cell) {
      ++next_;
      return position_of(cell) >= begin_;
    }
    if (cell.level() == Key<D>::max_level) return false;
    const bool within = position_of(cell) >= begin_ && after <= end_;
    if (within && (next_ == leaves_.size() || !cell.contains(leaves_[next_]))) return false;
    for (int digit = 0; digit < children<D>; ++digit) {
      if (!tiles(cell.child(digit))) return false;
    }
    return true;
  }

  std::span<const Key<D>> leaves_;
  std::uint64_t begin_, end_;
  std::size_t next_ = 0;
};

}  // namespace

template <int D>
DistributedTree<D>::DistributedTree(Unchecked, const Domain<D>& domain, std::vector<Key<D>> leaves,
                                    const parallel::Communicator& communicator)
    : domain_(domain),
      communicator_(communicator),
      leaves_(std::move(leaves)),
      partition_(table_of<D>(communicator, leaves_)) {}

template <int D>
DistributedTree<D>::DistributedTree(const Domain<D>& domain, std::vector<Key<D>> leaves,
                                    const parallel::Communicator& communicator)
    : DistributedTree(Unchecked{}, domain, std::move(leaves), communicator) {
  MEANDER_ASSERT(is_valid());
}

template <int D>
DistributedTree<D>::DistributedTree(const Domain<D>& domain, std::vector<Key<D>> leaves,
                                    const Partition<D>& partition, const parallel::Communicator& communicator)
    : domain_(domain), communicator_(communicator), leaves_(std::move(leaves)), partition_(partition) {
  MEANDER_ASSERT(partition.size() == communicator.size());
  MEANDER_ASSERT(partition.leaves(communicator.rank()) == static_cast<std::int64_t>(leaves_.size()));
}

template <int D>
std::optional<DistributedTree<D>> DistributedTree<D>::checked(const Domain<D>& domain,
                                                              std::vector<Key<D>> leaves,
                                                              const parallel::Communicator& communicator) {
  // The table of pieces requires sorted leaves.
  if (communicator.any(!std::is_sorted(leaves.begin(), leaves.end()))) return std::nullopt;
  const auto firsts = communicator.all_gather<Key<D>>(std::span(leaves).first(leaves.empty() ? 0 : 1));
  if (!std::is_sorted(firsts.begin(), firsts.end())) return std::nullopt;
  DistributedTree tree(Unchecked{}, domain, std::move(leaves), communicator);
  if (!tree.is_valid()) return std::nullopt;
  return tree;
}

template <int D>
DistributedTree<D> DistributedTree<D>::uniform(const Domain<D>& domain, int level,
                                               const parallel::Communicator& communicator) {
  MEANDER_ASSERT(domain.is_valid() && level >= domain.base_level && level <= Key<D>::max_level);
  const auto leaves = static_cast<std::int64_t>(domain.number_of_base_cells()) *
                      ipow<std::int64_t>(children<D>, level - domain.base_level);
  const std::int64_t size = communicator.size(), rank = communicator.rank();
  const auto first = [&](std::int64_t r) { return leaves / size * r + leaves % size * r / size; };
  std::vector<Key<D>> own;
  own.reserve(static_cast<std::size_t>(first(rank + 1) - first(rank)));
  const UniformPiece<D> piece(level, first(rank), first(rank + 1));
  std::int64_t next = 0;
  visit_base_cells(domain, [&](const BaseCell<D>& base) {
    next = piece.write(base.key, next, own);
    return next < first(rank + 1);
  });
  return {domain, std::move(own), communicator};
}

template <int D>
DistributedTree<D> DistributedTree<D>::repartitioned(std::span<const std::int64_t> first_leaves) const {
  const int rank = communicator_.rank();
  MEANDER_ASSERT(first_leaves.size() == static_cast<std::size_t>(communicator_.size()) + 1);
  MEANDER_ASSERT(first_leaves.front() == 0 && first_leaves.back() == global_size());
  if (communicator_.size() == 1) return *this;
  const auto plan = migration(partition_.first_leaves(), first_leaves, rank);
  const auto r = static_cast<std::size_t>(rank);
  std::vector<Key<D>> leaves(static_cast<std::size_t>(first_leaves[r + 1] - first_leaves[r]));
  std::vector<MPI_Request> requests;
  for (const Piece& piece : plan.receive) {
    if (piece.rank == rank) continue;
    parallel::mpi_check(
        MPI_Irecv(leaves.data() + piece.begin, static_cast<int>(piece.count), MPI_UINT64_T, piece.rank,
                  parallel::tag_of_leaves, communicator_.get(), &requests.emplace_back()),
        "MPI_Irecv");
  }
  for (const Piece& piece : plan.send) {
    if (piece.rank == rank) continue;
    parallel::mpi_check(
        MPI_Isend(leaves_.data() + piece.begin, static_cast<int>(piece.count), MPI_UINT64_T, piece.rank,
                  parallel::tag_of_leaves, communicator_.get(), &requests.emplace_back()),
        "MPI_Isend");
  }
  const auto is_own = [&](const Piece& piece) { return piece.rank == rank; };
  const auto from = std::find_if(plan.send.begin(), plan.send.end(), is_own);
  const auto to = std::find_if(plan.receive.begin(), plan.receive.end(), is_own);
  if (from != plan.send.end()) std::copy_n(&leaves_[from->begin], from->count, &leaves[to->begin]);
  parallel::mpi_check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
                      "MPI_Waitall");
  return {domain_, std::move(leaves), communicator_};
}

template <int D>
DistributedTree<D> DistributedTree<D>::placed(const LevelCuts<D>& cuts) const {
  MEANDER_ASSERT(!is_placed());
  struct Row {
    Key<D> leaf;
    std::int64_t number;
  };
  std::map<int, std::vector<Row>> by_rank;
  for (std::size_t leaf = 0; leaf < size(); ++leaf)
    by_rank[cuts.owner(leaves_[leaf])].push_back({leaves_[leaf], number(leaf)});
  auto rows = parallel::deliver(communicator_, std::move(by_rank));
  std::ranges::sort(rows, {}, &Row::leaf);
  DistributedTree result(*this);
  auto placement = std::make_shared<Placement>(Placement{*this, cuts, {}});
  result.leaves_.clear();
  for (const Row& row : rows) {
    result.leaves_.push_back(row.leaf);
    placement->numbers.push_back(row.number);
  }
  result.placement_ = std::move(placement);
  return result;
}

template <int D>
void DistributedTree<D>::find(std::span<const Point<D>> points, std::span<std::int32_t> ranks,
                              std::span<std::int32_t> leaves) const {
  MEANDER_ASSERT(points.size() == ranks.size() && points.size() == leaves.size());
  const int rank = communicator_.rank();
  const std::uint64_t own_begin = partition_.first_position(rank);
  const std::uint64_t own_end = partition_.first_position(rank + 1);
  std::array<std::uint64_t, points_in_step> keys, own_keys{};
  std::array<bool, points_in_step> inside;
  std::array<std::uint32_t, points_in_step> found;
  std::array<std::size_t, points_in_step> own_points;
  std::size_t waiting = 0;  // points of this rank that wait until there are enough for one search
  const auto search = [&] {
    last_not_above<D>(leaves_, own_keys, found);
    for (std::size_t i = 0; i < waiting; ++i) leaves[own_points[i]] = static_cast<std::int32_t>(found[i]);
    waiting = 0;
  };
  for (std::size_t begin = 0; begin < points.size(); begin += points_in_step) {
    const std::size_t count = std::min(points_in_step, points.size() - begin);
    finest_keys<D>(domain_, points.subspan(begin, count), keys, inside);
    for (std::size_t i = 0; i < count; ++i) {
      const bool own = inside[i] && own_begin <= keys[i] && keys[i] < own_end;
      leaves[begin + i] = -1;
      ranks[begin + i] = own ? rank : inside[i] ? partition_.owner(keys[i]) : -1;
      if (!own) continue;
      own_keys[waiting] = keys[i];
      own_points[waiting] = begin + i;
      if (++waiting == points_in_step) search();
    }
  }
  if (waiting > 0) search();
}

template <int D>
bool DistributedTree<D>::is_valid() const {
  const int rank = communicator_.rank();
  bool valid = domain_.is_valid() && partition_.size() == communicator_.size() &&
               partition_.first_position(0) == 0 && partition_.first_leaf(0) == 0 &&
               leaves_.size() <= static_cast<std::size_t>(INT32_MAX) &&
               partition_.leaves(rank) == static_cast<std::int64_t>(leaves_.size());
  const std::uint64_t begin = partition_.first_position(rank), end = partition_.first_position(rank + 1);
  valid = valid && (leaves_.empty() ? begin == end : begin == position_of(leaves_.front()));
  valid = valid && Tiling<D>(leaves_, begin, end).tiles(domain_);
  return !communicator_.any(!valid);
}

// Refinement, coarsening and balance of the leaves of all ranks. No leaf moves to another rank, and
// adaptation does not change the position of a rank's first leaf: in the table only the numbers of leaves
// change.

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

template class DistributedTree<2>;
template class DistributedTree<3>;

}  // namespace meander::mesh
