// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The set of the refined cells of a tree: 3^d - 1 times fewer than leaves, and sufficient for balance.
//
// Leaves that touch differ by at most one level iff, for every refined cell C, the cells of C's level that
// touch C inside the domain exist, that is, iff their parents are refined. For a parent P of refined cells
// this concerns only P's own neighbours at those sides that its refined children touch.

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/domain.hpp"
#include "mesh/partition.hpp"
#include "mesh/peano_curve.hpp"
#include "mesh/spacetree.hpp"
#include "parallel/communicator.hpp"

namespace meander::mesh {

// The ranks and their pieces of the curve.
template <int D>
struct Ranks {
  const parallel::Communicator& communicator;
  const Partition<D>& partition;
};

// With several ranks, each holds all ancestors of its own leaves. Cells that extend beyond an end of its
// piece are also known to the ranks that share them. If a cell outside its piece must be refined, a rank
// requests that from the rank of the cell's first leaf, which knows whether the cell is refined.
template <int D>
class RefinedCells {
 public:
  explicit RefinedCells(const Domain<D>& domain);

  // Adds a cell that is not in the set yet. Bit i of `refined`: the child at lexicographic position i is
  // refined. The caller is responsible for the bit in the cell's parent.
  void add(int level, std::uint64_t at, std::uint32_t refined) {
    cells_[index(level)].push_back({at, refined});
  }

  // Collective if there are several ranks (nullptr: one).
  bool is_balanced(const Ranks<D>* ranks = nullptr);
  // Adds the smallest number of cells that makes the set balanced. Before and after, the set contains the
  // parents of its cells. Collective; one sparse exchange a level.
  void balance(const Ranks<D>* ranks = nullptr);
  // The unrefined children of the refined cells, in curve order. Requires balance().
  std::vector<Key<D>> leaves() const;
  // The leaves within the positions [begin, end). `others`: number of leaves outside.
  std::vector<Key<D>> leaves(std::uint64_t begin, std::uint64_t end, std::size_t others) const;

 private:
  struct Refined {
    std::uint64_t at;
    std::uint32_t refined;
  };
  // In `refined`: a cell of another rank, from which its refinement is requested.
  static constexpr std::uint32_t foreign = 1u << 31;

  // Hash table of the cells of one level by coordinates: open addressing, at most half full.
  class Table {
   public:
    void build(const std::vector<Refined>& cells);
    bool is_empty() const { return entries_.empty(); }
    std::int32_t find(std::uint64_t at) const;
    // Index of the cell at `at`; appends it to `cells` if missing.
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

  // Calls visit(at) for each cell that must be refined because children of `cell` are, until it returns
  // false.
  template <class Visit>
  bool visit_required(int level, const Refined& cell, const Visit& visit) const;
  // Requests the level's cells from number `first` on from other ranks where they own them, and adds the
  // cells that other ranks request.
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

// The range of permitted levels.
struct LevelLimits {
  int min = 0, max = 0;

  // The flag that a leaf of this level gets.
  Adapt limited(Adapt flag, int level) const {
    if (level < min) return Adapt::refine;
    if (level > max) return Adapt::coarsen;
    if (flag == Adapt::refine) return level < max ? Adapt::refine : Adapt::keep;
    return level > min ? flag : Adapt::keep;
  }
};

// Collects the refined cells in one walk along the curve.
template <int D>
class AdaptFlags {
 public:
  // `flags`: of the leaves from number `first_flagged` on; all others are kept. An empty span keeps the tree
  // unchanged.
  AdaptFlags(std::span<const Key<D>> leaves, std::span<const Adapt> flags, std::size_t first_flagged,
             LevelLimits limits, RefinedCells<D>& refined)
      : leaves_(leaves), flags_(flags), first_flagged_(first_flagged), limits_(limits), refined_(refined) {}

  void collect(const Domain<D>& domain) {
    visit_base_cells(domain, [&](const BaseCell<D>& base) {
      const int level = domain.base_level;
      if (leaves_[next_].level() > level) {
        collect_below(level, base.cursor);
      } else if (flag_of(next_++, level) == Adapt::refine) {
        refined_.add(level, base.cursor.at, 0);
      }
      return true;
    });
  }

 private:
  Adapt flag_of(std::size_t leaf, int level) const {
    const std::size_t number = leaf - first_flagged_;
    return number < flags_.size() ? limits_.limited(flags_[number], level) : Adapt::keep;
  }

  // Returns whether the refined cell remains refined.
  bool collect_below(int level, const Cursor<D>& cell) {
    if (flags_.empty() && is_leaf_family(leaves_, next_, level + 1)) {
      next_ += children<D>;
      refined_.add(level, cell.at, 0);
      return true;
    }
    std::uint32_t refined_children = 0;
    bool coarsen = true;
    for (int digit = 0; digit < children<D>; ++digit) {
      const int position = cell.position(digit);
      bool refined;
      if (leaves_[next_].level() > level + 1) {
        refined = collect_below(level + 1, cell.child_at(position));
        coarsen = false;
      } else {
        const Adapt flag = flag_of(next_++, level + 1);
        coarsen = coarsen && flag == Adapt::coarsen;
        refined = flag == Adapt::refine;
        if (refined) refined_.add(level + 1, cell.child_at(position).at, 0);
      }
      refined_children |= static_cast<std::uint32_t>(refined) << position;
    }
    if (!coarsen) refined_.add(level, cell.at, refined_children);
    return !coarsen;
  }

  std::span<const Key<D>> leaves_;
  std::span<const Adapt> flags_;
  std::size_t first_flagged_;
  LevelLimits limits_;
  RefinedCells<D>& refined_;
  std::size_t next_ = 0;
};

}  // namespace meander::mesh
