// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An array with one code for each base cell of a domain, and access to the codes around a base cell.

#include <array>
#include <cstdint>
#include <vector>

#include "mesh/neighbours.hpp"
#include "mesh/peano_tables.hpp"

namespace meander::mesh {

template <int D>
class Brick {
 public:
  explicit Brick(const Domain<D>& domain) : domain_(domain), codes_(domain.number_of_base_cells()) {}

  std::int32_t& operator[](const Index<D>& at) { return codes_[index(at)]; }

  // The codes of a cell and of its neighbours, by direction; Neighbour::outside_code beyond the domain.
  std::array<std::int32_t, children<D>> around(const Index<D>& at) const {
    std::array<std::int32_t, children<D>> result;
    for (int direction = 0; direction < children<D>; ++direction)
      result[static_cast<std::size_t>(direction)] = beside(at, offset_of<D>(direction));
    return result;
  }

 private:
  std::size_t index(const Index<D>& at) const {
    std::size_t i = 0;
    for (int a = D - 1; a >= 0; --a) {
      i = i * static_cast<std::size_t>(domain_.base_cells[a]) + static_cast<std::size_t>(at[a]);
    }
    return i;
  }

  std::int32_t beside(Index<D> at, const Index<D>& offset) const {
    for (int a = 0; a < D; ++a) {
      const int n = domain_.base_cells[a];
      at[a] += offset[a];
      if (at[a] >= 0 && at[a] < n) continue;
      if (!domain_.periodic[a]) return Neighbour::outside_code;
      at[a] = at[a] < 0 ? n - 1 : 0;
    }
    return codes_[index(at)];
  }

  const Domain<D>& domain_;
  std::vector<std::int32_t> codes_;
};

}  // namespace meander::mesh
