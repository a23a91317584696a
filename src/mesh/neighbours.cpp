// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// One walk along the leaves assigns codes to the children of every refined cell. One descent through the
// refined cells then passes every cell the codes of the 3^d cells around it. No search is needed.

#include "mesh/neighbours.hpp"

#include <array>
#include <cstring>
#include <vector>

#include "base/assert.hpp"
#include "mesh/child_block.hpp"
#include "mesh/domain.hpp"
#include "mesh/spacetree.hpp"

namespace meander::mesh {
namespace {

using Code = std::int32_t;

template <int D>
class Builder {
 public:
  Builder(const Spacetree<D>& tree, std::span<const Code> numbers, Code* table, Code* refined, Cell<D>* cells)
      : domain_(tree.domain()),
        leaves_(tree.leaves()),
        numbers_(numbers),
        table_(table),
        refined_(refined),
        cells_(cells) {}

  void build(const ThreadTeam& team) {
    Brick<D> brick(domain_);
    std::vector<std::uint64_t> base_cells;  // packed, along the curve
    base_cells.reserve(domain_.number_of_base_cells());
    visit_base_cells(domain_, [&](const BaseCell<D>& base) {
      const int level = domain_.base_level;
      base_cells.push_back(base.cursor.at);
      brick[Packed<D>::at(base.cursor.at)] = leaves_[next_leaf_].level() == level
                                                 ? assign_leaf(level, base.cursor)
                                                 : assign_children(level, base.cursor);
      return true;
    });
    brick.close();
    team.for_chunks(base_cells.size(), [&](int, std::size_t begin, std::size_t end) {
      for (std::size_t base = begin; base < end; ++base) {
        const auto around = brick.around(Packed<D>::at(base_cells[base]));
        const Code own = around[children<D> / 2];
        if (own >= 0)
          std::memcpy(row(own), around.data(), sizeof around);
        else
          descend(own, around.data());
      }
    });
  }

 private:
  Code assign_leaf(int level, const Cursor<D>& cursor) {
    const Code code = numbers_.empty() ? static_cast<Code>(next_leaf_) : numbers_[next_leaf_];
    ++next_leaf_;
    cells_[code] = {Packed<D>::at(cursor.at), level};
    return code;
  }

  // Assigns codes to all descendants of a refined cell; returns the code of the cell.
  Code assign_children(int level, const Cursor<D>& cell) {
    const Code code = -1 - static_cast<Code>(next_refined_++);
    Code* const out = children_of(code);
    const bool family = is_leaf_family(leaves_, next_leaf_, level + 1);
    for (int digit = 0; digit < children<D>; ++digit) {
      const int position = cell.position(digit);
      const Cursor<D> child = cell.child_at(position);
      const bool leaf = family || leaves_[next_leaf_].level() == level + 1;
      out[position] = leaf ? assign_leaf(level + 1, child) : assign_children(level + 1, child);
    }
    return code;
  }

  // Passes the children of a refined cell their neighbourhoods, given that of the cell.
  void descend(Code cell, const Code* around) {
    BlockCodes<D> block;
    fill_block<D>(
        around, [&](Code code) { return Neighbour{code}.is_refined() ? children_of(code) : nullptr; }, block);
    const Code* const own = children_of(cell);
    for (std::size_t p = 0; p < children<D>; ++p) {
      if (own[p] >= 0) {
        copy_neighbourhood<D>(block, p, row(own[p]));
      } else {
        std::array<Code, children<D>> below;
        copy_neighbourhood<D>(block, p, below.data());
        descend(own[p], below.data());
      }
    }
  }

  Code* row(Code leaf) { return table_ + static_cast<std::size_t>(leaf) * children<D>; }
  Code* children_of(Code refined) { return refined_ + static_cast<std::size_t>(-1 - refined) * children<D>; }

  const Domain<D>& domain_;
  std::span<const Key<D>> leaves_;
  std::span<const Code> numbers_;
  Code* table_;
  Code* refined_;
  Cell<D>* cells_;
  std::size_t next_leaf_ = 0, next_refined_ = 0;
};

}  // namespace

template <int D>
Neighbours<D>::Neighbours(const Spacetree<D>& tree, const ThreadTeam& team) : Neighbours(tree, {}, team) {
  MEANDER_ASSERT(tree.is_balanced());
}

template <int D>
Neighbours<D>::Neighbours(const Spacetree<D>& tree, std::span<const std::int32_t> numbers,
                          const ThreadTeam& team) {
  MEANDER_ASSERT(numbers.empty() || numbers.size() == tree.size());
  const std::size_t refined = (tree.size() - tree.domain().number_of_base_cells()) / (children<D> - 1);
  table_.resize(tree.size() * children<D>);
  refined_.resize(refined * children<D>);
  cells_.resize(tree.size());
  Builder<D>(tree, numbers, table_.data(), refined_.data(), cells_.data()).build(team);
}

template class Neighbours<2>;
template class Neighbours<3>;

}  // namespace meander::mesh
