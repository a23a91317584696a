// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Partition of the Peano curve: the piece of each rank. Every rank holds the whole table, two words a rank:
// the only data of a rank that grow with the number of ranks. Copies share it.
//
// A position is a point on the curve: the path of a cell's first descendant, as the bits of the key without
// the level. The cell with key k covers the positions [position_of(k), position_after(k)).

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "mesh/peano_curve.hpp"
#include "parallel/communicator.hpp"

namespace meander::mesh {

template <int D>
constexpr std::uint64_t position_of(Key<D> cell) {
  return cell.bits & ~std::uint64_t{15};
}
// The first position after the cell; 0 for the root, since 2^64 does not fit.
template <int D>
constexpr std::uint64_t position_after(Key<D> cell) {
  return cell.level() == 0 ? 0 : position_of(cell) + (std::uint64_t{1} << Key<D>::shift(cell.level()));
}

template <int D>
class Partition {
 public:
  Partition() : Partition(0) {}
  // One rank with all `leaves`.
  explicit Partition(std::int64_t leaves) : Partition({0, leaves}, {0}) {}
  // first_leaf: size + 1 ascending numbers: the number along the curve of each rank's first leaf, and the
  // number of all leaves. first_position: the position of each rank's first leaf; for a rank without leaves,
  // that of the next rank, or no_position at the end.
  Partition(std::vector<std::int64_t> first_leaf, std::vector<std::uint64_t> first_position);

  // From first_leaf and a function that gives the first leaf of a rank that has leaves.
  template <class FirstKey>
  static Partition with(std::vector<std::int64_t> first_leaf, const FirstKey& first_key) {
    std::vector<std::uint64_t> first_position(first_leaf.size() - 1);
    std::uint64_t next = no_position;
    for (std::size_t r = first_position.size(); r-- > 0;) {
      if (first_leaf[r] < first_leaf[r + 1]) next = position_of<D>(first_key(r));
      first_position[r] = next;
    }
    return {std::move(first_leaf), std::move(first_position)};
  }

  static constexpr std::uint64_t no_position = ~std::uint64_t{0};

  int size() const { return static_cast<int>(table_->first_position.size()); }
  std::int64_t leaves() const { return table_->first_leaf.back(); }
  std::int64_t first_leaf(int rank) const { return table_->first_leaf[static_cast<std::size_t>(rank)]; }
  std::int64_t leaves(int rank) const { return first_leaf(rank + 1) - first_leaf(rank); }
  std::span<const std::int64_t> first_leaves() const { return table_->first_leaf; }
  // The positions of rank r are [first_position(r), first_position(r + 1)).
  std::uint64_t first_position(int rank) const {
    return rank == size() ? no_position : table_->first_position[static_cast<std::size_t>(rank)];
  }
  // Memory of the table.
  std::size_t bytes() const { return (2 * table_->first_position.size() + 1) * sizeof(std::int64_t); }

  // The rank of the leaf at a position of the domain. A binary search.
  int owner(std::uint64_t position) const;

  friend bool operator==(const Partition& a, const Partition& b) { return *a.table_ == *b.table_; }

 private:
  struct Table {
    std::vector<std::int64_t> first_leaf;
    std::vector<std::uint64_t> first_position;
    friend bool operator==(const Table&, const Table&) = default;
  };
  std::shared_ptr<const Table> table_;
};

// A cut of the curve for each level: a rank holds one piece of the leaves of each level in curve order, whatever leaves of
// other levels lie between them. P ranks and L levels: 2 P L words on every rank. Copies share them.
template <int D>
class LevelCuts {
 public:
  // levels: from level `coarsest`; coarser and finer cells follow the nearest of these.
  LevelCuts(int coarsest, std::vector<Partition<D>> levels)
      : coarsest_(coarsest), levels_(std::move(levels)) {}
  // The leaves of each level cut evenly. leaves: of this rank, one piece of the curve of all. Collective.
  static LevelCuts even(const parallel::Communicator& communicator, std::span<const Key<D>> leaves,
                        int coarsest, std::size_t levels);
  // The same cuts for `ranks` ranks, from all leaves. Not collective.
  static LevelCuts even(int ranks, std::span<const Key<D>> leaves, int coarsest, std::size_t levels);

  int owner(Key<D> cell) const { return levels_[index(cell.level())].owner(position_of(cell)); }
  // Memory of the tables.
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const Partition<D>& level : levels_) sum += level.bytes();
    return sum;
  }
  friend bool operator==(const LevelCuts&, const LevelCuts&) = default;

 private:
  std::size_t index(int level) const {
    return static_cast<std::size_t>(std::clamp(level - coarsest_, 0, static_cast<int>(levels_.size()) - 1));
  }
  // From the numbers of leaves by level before this rank's, and of all, and the sum over ranks of a table.
  template <class Sum>
  static LevelCuts even(int ranks, std::span<const Key<D>> leaves, int coarsest,
                        std::vector<std::int64_t> before, std::span<const std::int64_t> all, const Sum& sum);
  static std::vector<std::int64_t> count(std::span<const Key<D>> leaves, int coarsest, std::size_t levels);

  int coarsest_;
  std::vector<Partition<D>> levels_;
};

// Cuts the curve by the weights of all leaves. Returns the first leaf of each rank and the number of leaves:
// `size` + 1 numbers. The weight of every rank is within one leaf of the ideal: each cut is the one nearest
// to the ideal cut, the lower one if two are equally near. Sums are of integers, so that the cut does not
// depend on the present partition. `weights`: of this rank's leaves, none negative; if all are 0, leaves are
// counted. Collective.
std::vector<std::int64_t> cut_by_weight(const parallel::Communicator& communicator,
                                        std::span<const std::int64_t> weights);
// The same cuts for `ranks` ranks, from the weights of all leaves. Not collective.
std::vector<std::int64_t> cut_by_weight(int ranks, std::span<const std::int64_t> weights);

// The leaves that move between ranks when a table of first leaves is replaced. All ranks know both tables, so
// no message is needed.
struct Piece {
  int rank = 0;           // the other rank, or this one
  std::size_t begin = 0;  // among this rank's old (send) or new (receive) leaves
  std::size_t count = 0;
};
struct Migration {
  std::vector<Piece> send, receive;  // ascending; leaves that stay are a piece of this rank in both
};
Migration migration(std::span<const std::int64_t> from, std::span<const std::int64_t> to, int rank);

}  // namespace meander::mesh
