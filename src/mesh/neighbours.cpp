// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// One walk along the leaves names the children of every refined cell; one descent through the refined cells
// then hands every cell the codes of the 3^d cells around it. Nothing is searched.

#include "mesh/neighbours.hpp"

#include <array>
#include <cstring>

#include "base/assert.hpp"
#include "mesh/base_cells.hpp"
#include "mesh/leaf_family.hpp"

namespace meander::mesh {
namespace {

using Code = std::int32_t;

// The 5^d children-sized cells in and around a refined cell: its own children and one layer of its
// neighbours'.
template <int D>
struct Block {
  static constexpr int size = D == 3 ? 125 : 25;
  struct Entry {
    std::uint8_t block, child;  // index in the block; position of that cell in its parent
  };
  // Entries by the direction of the neighbour they belong to: [begin[n], begin[n + 1]).
  std::array<Entry, size> entries{};
  std::array<std::uint8_t, children<D> + 1> begin{};
  // Index in the block of the lower corner of the 3^d neighbourhood of the child at a position.
  std::array<std::uint8_t, children<D>> corner{};

  constexpr Block() {
    std::size_t count = 0;
    for (int n = 0; n < children<D>; ++n) {
      begin[static_cast<std::size_t>(n)] = static_cast<std::uint8_t>(count);
      for (int b = 0; b < size; ++b) {
        int owner = 0, child = 0, rest = b;
        for (int a = 0, stride = 1; a < D; ++a, rest /= 5, stride *= 3) {
          const int at = rest % 5 + 2;  // 2 .. 6, where 3 .. 5 is the cell itself
          owner += at / 3 * stride;
          child += at % 3 * stride;
        }
        if (owner == n) entries[count++] = {static_cast<std::uint8_t>(b), static_cast<std::uint8_t>(child)};
      }
    }
    begin[children<D>] = static_cast<std::uint8_t>(count);
    for (int p = 0; p < children<D>; ++p) {
      int b = 0, rest = p;
      for (int a = 0, stride = 1; a < D; ++a, rest /= 3, stride *= 5) b += rest % 3 * stride;
      corner[static_cast<std::size_t>(p)] = static_cast<std::uint8_t>(b);
    }
  }
};

template <int D>
class Builder {
 public:
  Builder(const Spacetree<D>& tree, Code* table, Code* refined, Cell<D>* cells)
      : domain_(tree.domain()), leaves_(tree.leaves()), table_(table), refined_(refined), cells_(cells) {}

  void build() {
    std::vector<Code> brick(domain_.number_of_base_cells());
    visit_base_cells(domain_, [&](const BaseCell<D>& base) {
      const int level = domain_.base_level;
      brick[index_in_brick(Packed<D>::at(base.place.at))] = leaves_[next_leaf_].level() == level
                                                                ? name_leaf(level, base.place)
                                                                : name_children(level, base.place);
      return true;
    });
    visit_base_cells(domain_, [&](const BaseCell<D>& base) {
      const Index<D> at = Packed<D>::at(base.place.at);
      std::array<Code, children<D>> around;
      for (int direction = 0; direction < children<D>; ++direction) {
        around[static_cast<std::size_t>(direction)] = beside(brick, at, offset_of<D>(direction));
      }
      const Code own = around[children<D> / 2];
      if (own >= 0)
        std::memcpy(row(own), around.data(), sizeof around);
      else
        descend(own, around.data());
      return true;
    });
  }

 private:
  std::size_t index_in_brick(const Index<D>& at) const {
    std::size_t i = 0;
    for (int a = D - 1; a >= 0; --a) {
      i = i * static_cast<std::size_t>(domain_.base_cells[a]) + static_cast<std::size_t>(at[a]);
    }
    return i;
  }

  Code beside(const std::vector<Code>& brick, Index<D> at, const Index<D>& offset) const {
    for (int a = 0; a < D; ++a) {
      const int n = domain_.base_cells[a];
      at[a] += offset[a];
      if (at[a] >= 0 && at[a] < n) continue;
      if (!domain_.periodic[a]) return Neighbour::outside_code;
      at[a] = at[a] < 0 ? n - 1 : 0;
    }
    return brick[index_in_brick(at)];
  }

  Code name_leaf(int level, const Place<D>& place) {
    cells_[next_leaf_] = {Packed<D>::at(place.at), level};
    return static_cast<Code>(next_leaf_++);
  }

  // Names the children of a refined cell and all below them; returns the cell's own code.
  Code name_children(int level, const Place<D>& cell) {
    const Code code = -1 - static_cast<Code>(next_refined_++);
    Code* const out = children_of(code);
    const bool family = is_leaf_family(leaves_, next_leaf_, level + 1);
    for (int digit = 0; digit < children<D>; ++digit) {
      const int position = cell.position(digit);
      const Place<D> child = cell.child_at(position);
      const bool leaf = family || leaves_[next_leaf_].level() == level + 1;
      out[position] = leaf ? name_leaf(level + 1, child) : name_children(level + 1, child);
    }
    return code;
  }

  // Hands the children of a refined cell their neighbourhoods, given the cell's own.
  void descend(Code cell, const Code* around) {
    static constexpr Block<D> plan;
    std::array<Code, Block<D>::size + 3> block;  // rows are copied four wide
    for (std::size_t n = 0; n < children<D>; ++n) {
      const Code code = around[n];
      const std::size_t begin = plan.begin[n], end = plan.begin[n + 1];
      if (is_refined(code)) {
        const Code* const from = children_of(code);
        for (std::size_t e = begin; e < end; ++e) block[plan.entries[e].block] = from[plan.entries[e].child];
      } else {
        for (std::size_t e = begin; e < end; ++e) block[plan.entries[e].block] = code;
      }
    }
    const Code* const own = children_of(cell);
    for (std::size_t p = 0; p < children<D>; ++p) {
      const Code* const corner = block.data() + plan.corner[p];
      if (own[p] >= 0) {
        copy_neighbourhood(corner, row(own[p]));
      } else {
        std::array<Code, children<D>> below;
        copy_neighbourhood(corner, below.data());
        descend(own[p], below.data());
      }
    }
  }

  static void copy_neighbourhood(const Code* from, Code* to) {
    constexpr int rows = children<D> / 3;
    for (int r = 0; r < rows - 1; ++r)
      std::memcpy(to + 3 * r, from + 5 * (r % 3) + 25 * (r / 3), 4 * sizeof(Code));
    constexpr int last = rows - 1;
    std::memcpy(to + 3 * last, from + 5 * (last % 3) + 25 * (last / 3), 3 * sizeof(Code));
  }

  static bool is_refined(Code code) { return Neighbour{code}.is_refined(); }
  Code* row(Code leaf) { return table_ + static_cast<std::size_t>(leaf) * children<D>; }
  Code* children_of(Code refined) { return refined_ + static_cast<std::size_t>(-1 - refined) * children<D>; }

  const Domain<D>& domain_;
  std::span<const Key<D>> leaves_;
  Code* table_;
  Code* refined_;
  Cell<D>* cells_;
  std::size_t next_leaf_ = 0, next_refined_ = 0;
};

}  // namespace

template <int D>
Neighbours<D>::Neighbours(const Spacetree<D>& tree) {
  MEANDER_ASSERT(tree.is_balanced());
  const std::size_t refined = (tree.size() - tree.domain().number_of_base_cells()) / (children<D> - 1);
  table_.resize(tree.size() * children<D>);
  refined_.resize(refined * children<D>);
  cells_.resize(tree.size());
  Builder<D>(tree, table_.data(), refined_.data(), cells_.data()).build();
}

template class Neighbours<2>;
template class Neighbours<3>;

}  // namespace meander::mesh
