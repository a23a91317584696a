// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The set of a tree's refined cells: 3^d - 1 times fewer than leaves, and all that balance needs.
//
// Leaves that touch differ by at most one level iff, for every refined cell C, the cells of C's level that
// touch C inside the domain exist, that is, iff their parents are refined. A parent P of refined cells asks
// this of its own neighbours only, towards those sides that its refined children touch.

#include <cstdint>
#include <vector>

#include "mesh/domain.hpp"
#include "mesh/partition.hpp"
#include "mesh/peano_tables.hpp"
#include "parallel/communicator.hpp"

namespace meander::mesh {

// Who holds the other pieces of the curve.
template <int D>
struct Ranks {
  const parallel::Communicator& communicator;
  const Partition<D>& partition;
};

// With several ranks, each has the refined cells around its own leaves: all ancestors of them, and so those
// that straddle its piece's ends too, which the ranks they are shared with know as well. What must be refined
// beyond its piece it asks of the rank that holds the cell's first leaf: that one knows whether it is.
template <int D>
class RefinedCells {
 public:
  explicit RefinedCells(const Domain<D>& domain);

  // Adds a cell that is not in the set yet. Bit i of `refined` says that the child at lexicographic position
  // i is refined; whoever adds a cell sees to its parent's bit.
  void add(int level, std::uint64_t at, std::uint32_t refined) {
    cells_[index(level)].push_back({at, refined});
  }

  // Collective over the ranks, if there are any others (nullptr: none).
  bool is_balanced(const Ranks<D>* ranks = nullptr);
  // Adds the fewest cells that make the set balanced. The set is closed under taking parents before and
  // after. Collective; costs one sparse exchange a level.
  void balance(const Ranks<D>* ranks = nullptr);
  // The leaves between the refined cells, in curve order. After balance().
  std::vector<Key<D>> leaves() const;
  // Those that lie within the positions [begin, end); `others`: number of the other ones.
  std::vector<Key<D>> leaves(std::uint64_t begin, std::uint64_t end, std::size_t others) const;

 private:
  struct Refined {
    std::uint64_t at;
    std::uint32_t refined;
  };
  // In `refined`: a cell that another rank holds, and has been asked for.
  static constexpr std::uint32_t foreign = 1u << 31;

  // Finds the cells of one level by their coordinates: open addressing, at most half full.
  class Table {
   public:
    void build(const std::vector<Refined>& cells);
    bool is_empty() const { return entries_.empty(); }
    std::int32_t find(std::uint64_t at) const;
    // Index of the cell at `at`, which is appended to `cells` if missing.
    std::int32_t find_or_add(std::uint64_t at, std::vector<Refined>& cells);

   private:
    struct Entry {
      std::uint64_t at;
      std::int32_t cell;
    };
    std::size_t first_slot(std::uint64_t at) const {
      return static_cast<std::size_t>((at * 0x9E3779B97F4A7C15u) >> shift_);
    }
    void insert(std::uint64_t at, std::int32_t cell);

    int shift_ = 63;
    std::size_t size_ = 0;
    std::vector<Entry> entries_;
  };

  // Calls visit(at) for each cell that must be refined because the cell's children are; until it returns
  // false.
  template <class Visit>
  bool visit_required(int level, const Refined& cell, const Visit& visit) const;
  // Sorts out which of the level's cells from number `first` on are others', and swaps those for what others
  // ask of this rank.
  void exchange_required(std::size_t level_index, std::size_t first, const Ranks<D>& ranks);
  Key<D>* write_leaves(int depth, std::int32_t cell, Key<D> key, Cursor<D> cursor, Key<D>* out) const;
  Key<D>* write_leaves_within(std::uint64_t begin, std::uint64_t end, int depth, std::int32_t cell,
                              Key<D> key, Cursor<D> cursor, Key<D>* out) const;
  std::size_t number_of_leaves() const;

  std::size_t index(int level) const { return static_cast<std::size_t>(level - domain_.base_level); }

  Domain<D> domain_;
  std::vector<std::vector<Refined>> cells_;  // by level - m
  std::vector<Table> tables_;
  std::size_t foreign_cells_ = 0;
};

}  // namespace meander::mesh
