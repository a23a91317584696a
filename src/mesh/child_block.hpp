// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The 5^d cells of the children's size in and around a refined cell: its own children and one layer of its
// neighbours' children. A descent derives from them the 3^d cells around every child.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "mesh/neighbours.hpp"
#include "mesh/peano_curve.hpp"

namespace meander::mesh {

template <int D>
struct ChildBlock {
  static constexpr int size = D == 3 ? 125 : 25;
  struct Entry {
    std::uint8_t block, child;  // index in the block; position of that cell in its parent
  };
  // Entries sorted by the direction n of the neighbour that contains them: [begin[n], begin[n + 1]).
  std::array<Entry, size> entries{};
  std::array<std::uint8_t, children<D> + 1> begin{};
  // By child position: index in the block of the lower corner of the child's 3^d neighbourhood.
  std::array<std::uint8_t, children<D>> corner{};

  constexpr ChildBlock() {
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
inline constexpr ChildBlock<D> child_block{};

// Codes of the cells of a block. Padded, since rows of three are copied as four.
template <int D>
using BlockCodes = std::array<std::int32_t, ChildBlock<D>::size + 3>;

// Fills the block of a cell from the codes of the 3^d cells around it. children_of(code) returns the codes of
// a neighbour's children by position, or nullptr if all of them have the neighbour's own code.
template <int D, class ChildrenOf>
void fill_block(const std::int32_t* around, const ChildrenOf& children_of, BlockCodes<D>& block) {
  constexpr const auto& plan = child_block<D>;
  for (std::size_t n = 0; n < children<D>; ++n) {
    const std::int32_t code = around[n];
    const std::size_t begin = plan.begin[n], end = plan.begin[n + 1];
    if (const std::int32_t* const from = children_of(code)) {
      for (std::size_t e = begin; e < end; ++e) block[plan.entries[e].block] = from[plan.entries[e].child];
    } else {
      for (std::size_t e = begin; e < end; ++e) block[plan.entries[e].block] = code;
    }
  }
}

// Copies the 3^d codes around the child at a position.
template <int D>
void copy_neighbourhood(const BlockCodes<D>& block, std::size_t position, std::int32_t* to) {
  const std::int32_t* const from = block.data() + child_block<D>.corner[position];
  constexpr int rows = children<D> / 3;
  for (int r = 0; r < rows - 1; ++r)
    std::memcpy(to + 3 * r, from + 5 * (r % 3) + 25 * (r / 3), 4 * sizeof(std::int32_t));
  constexpr int last = rows - 1;
  std::memcpy(to + 3 * last, from + 5 * (last % 3) + 25 * (last / 3), 3 * sizeof(std::int32_t));
}

// For each direction (as in neighbours.hpp), a bit set of the children that touch that side of their parent.
template <int D>
constexpr Vec<std::uint32_t, children<D>> children_at_sides() {
  Vec<std::uint32_t, children<D>> result{};
  for (int direction = 0; direction < children<D>; ++direction) {
    const auto side = digits_of<D>(direction);
    for (int p = 0; p < children<D>; ++p) {
      const auto c = digits_of<D>(p);
      bool touches = true;
      for (std::size_t a = 0; a < side.size(); ++a) touches = touches && (side[a] == 1 || side[a] == c[a]);
      if (touches) result[static_cast<std::size_t>(direction)] |= 1u << p;
    }
  }
  return result;
}

// An array with one code for each base cell of a domain, and access to the codes around a base cell.
template <int D>
class Brick {
 public:
  explicit Brick(const Domain<D>& domain) : domain_(domain) {
    std::size_t stride = 1;
    for (std::size_t a = 0; a < D; ++a) {
      stride_[a] = stride;
      stride *= static_cast<std::size_t>(domain.base_cells[a]) + 2;
    }
    codes_.assign(stride, Neighbour::outside_code);
  }

  std::int32_t& operator[](const Index<D>& at) { return codes_[index(at)]; }
  // After all codes are set: those beyond periodic faces.
  void close() {
    for (std::size_t a = 0; a < D; ++a) {
      if (!domain_.periodic[a]) continue;
      const std::size_t n = static_cast<std::size_t>(domain_.base_cells[a]), stride = stride_[a];
      const auto layer = static_cast<std::ptrdiff_t>(stride);
      for (auto first = codes_.begin(); first != codes_.end();
           first += layer * static_cast<std::ptrdiff_t>(n + 2)) {
        const auto last = first + layer * static_cast<std::ptrdiff_t>(n + 1);
        std::copy_n(last - layer, stride, first);
        std::copy_n(first + layer, stride, last);
      }
    }
  }

  // The codes of a cell and of its neighbours, by direction; Neighbour::outside_code beyond the domain.
  std::array<std::int32_t, children<D>> around(const Index<D>& at) const {
    std::array<std::int32_t, children<D>> result;
    const std::int32_t* const corner = codes_.data() + index(at) - index_step();
    for (std::size_t row = 0; row < children<D> / 3; ++row) {
      const std::size_t skip = row % 3 * stride_[1] + (D == 3 ? row / 3 * stride_[D - 1] : 0);
      std::memcpy(result.data() + 3 * row, corner + skip, 3 * sizeof(std::int32_t));
    }
    return result;
  }

 private:
  // From a cell to the one beside it along all axes.
  std::size_t index_step() const { return std::accumulate(stride_.begin(), stride_.end(), std::size_t{0}); }
  std::size_t index(const Index<D>& at) const {
    std::size_t i = 0;
    for (std::size_t a = 0; a < D; ++a) i += (static_cast<std::size_t>(at[a]) + 1) * stride_[a];
    return i;
  }

  const Domain<D>& domain_;
  Vec<std::size_t, D> stride_{};
  std::vector<std::int32_t> codes_;  // with a layer of cells around the domain
};

}  // namespace meander::mesh
