// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The own leaves of a rank by level, from the coarsest, and in curve order within a level: the order of the tables
// on devices, in which a level is a range.

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/peano_curve.hpp"

namespace meander::mesh {

class LevelOrder {
 public:
  LevelOrder() = default;
  // cells: of the own leaves; all their levels lie between coarsest and finest.
  template <int D>
  LevelOrder(std::span<const Cell<D>> cells, int coarsest, int finest) : index_of_(cells.size()) {
    leaf_of_.reserve(cells.size());
    for (int level = coarsest; level <= finest; ++level) {
      first_.push_back(leaf_of_.size());
      for (std::size_t leaf = 0; leaf < cells.size(); ++leaf) {
        if (cells[leaf].level != level) continue;
        index_of_[leaf] = static_cast<std::int32_t>(leaf_of_.size());
        leaf_of_.push_back(static_cast<std::int32_t>(leaf));
      }
    }
    first_.push_back(leaf_of_.size());
  }

  // The leaf at each place, and the place of each leaf.
  const std::vector<std::int32_t>& leaf_of() const { return leaf_of_; }
  const std::vector<std::int32_t>& index_of() const { return index_of_; }
  std::int32_t index_of(std::int32_t leaf) const { return index_of_[static_cast<std::size_t>(leaf)]; }

  std::size_t size() const { return leaf_of_.size(); }
  std::size_t levels() const { return first_.size() - 1; }
  // Places first(level) to first(level + 1) are those of a level, counted from the coarsest.
  std::size_t first(std::size_t level) const { return first_[level]; }
  std::size_t count(std::size_t level) const { return first_[level + 1] - first_[level]; }

 private:
  std::vector<std::int32_t> leaf_of_, index_of_;
  std::vector<std::size_t> first_;
};

}  // namespace meander::mesh
