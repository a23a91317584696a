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
#include "mesh/peano_tables.hpp"

namespace meander::mesh {

template <int D>
class RefinedCells {
 public:
  explicit RefinedCells(const Domain<D>& domain);

  // Adds a cell that is not in the set yet. Bit i of `refined` says that the child at lexicographic position
  // i is refined; whoever adds a cell sees to its parent's bit.
  void add(int level, std::uint64_t at, std::uint32_t refined) {
    cells_[index(level)].push_back({at, refined});
  }

  bool is_balanced();
  // Adds the fewest cells that make the set balanced. The set is closed under taking parents before and
  // after.
  void balance();
  // The leaves between the refined cells, in curve order. After balance().
  std::vector<Key<D>> leaves() const;

 private:
  struct Refined {
    std::uint64_t at;
    std::uint32_t refined;
  };

  // Finds the cells of one level by their coordinates: open addressing, at most half full.
  class Table {
   public:
    void build(const std::vector<Refined>& cells);
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
  Key<D>* write_leaves(int level, std::int32_t cell, Key<D> key, Place<D> place, Key<D>* out) const;

  std::size_t index(int level) const { return static_cast<std::size_t>(level - domain_.base_level); }

  Domain<D> domain_;
  std::vector<std::vector<Refined>> cells_;  // by level - m
  std::vector<Table> tables_;
};

}  // namespace meander::mesh
