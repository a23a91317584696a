// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/distributed_tree.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/assert.hpp"
#include "mesh/base_cells.hpp"
#include "mesh/leaf_search.hpp"
#include "parallel/message_tags.hpp"
#include "parallel/mpi_check.hpp"

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

template class DistributedTree<2>;
template class DistributedTree<3>;

}  // namespace meander::mesh
