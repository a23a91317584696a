// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/neighbours.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/mesh/random_trees.hpp"

namespace meander::mesh {
namespace {

using namespace test;

template <class T>
class NeighboursQuick : public ::testing::Test {};
using Dimensions = ::testing::Types<Dimension<2>, Dimension<3>>;
TYPED_TEST_SUITE(NeighboursQuick, Dimensions);

// The cell of the leaf's own level in a direction, wrapped; false if it lies outside the domain.
template <int D>
bool beside(const Domain<D>& domain, Cell<D>& cell, int direction) {
  const auto offset = offset_of<D>(direction);
  for (int a = 0; a < D; ++a) {
    const int n = domain.cells(cell.level, a);
    cell.at[a] += offset[a];
    if (cell.at[a] >= 0 && cell.at[a] < n) continue;
    if (!domain.periodic[a]) return false;
    cell.at[a] = (cell.at[a] + n) % n;
  }
  return true;
}

// Compares every code of every leaf with a search for the adjacent cell.
template <int D>
void expect_right_codes(const Spacetree<D>& tree) {
  const Neighbours<D> neighbours(tree);
  const auto leaves = tree.leaves();
  const auto index_of = [&](Key<D> key) {
    const auto at = std::lower_bound(leaves.begin(), leaves.end(), key);
    return at != leaves.end() && *at == key ? static_cast<std::int32_t>(at - leaves.begin()) : -1;
  };
  ASSERT_EQ(neighbours.cells().size(), leaves.size());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Cell<D> cell = cell_of(leaves[i]);
    ASSERT_EQ(neighbours.cells()[i], cell);
    for (int direction = 0; direction < children<D>; ++direction) {
      const auto neighbour = neighbours.of(static_cast<std::int32_t>(i), direction);
      Cell<D> other = cell;
      if (!beside(tree.domain(), other, direction)) {
        ASSERT_TRUE(neighbour.is_outside());
        continue;
      }
      const auto key = key_of(other);
      if (neighbour.is_leaf()) {
        const auto owner = leaves[static_cast<std::size_t>(neighbour.leaf())];
        ASSERT_TRUE(owner.contains(key));
        ASSERT_GE(owner.level(), other.level - 1);
      } else {
        ASSERT_TRUE(neighbour.is_refined());
        ASSERT_EQ(index_of(key), -1);
        const auto below = neighbours.refined_children(neighbour.refined_cell());
        for (int position = 0; position < children<D>; ++position) {
          // A child may be refined itself; balance permits that at the far side only.
          const auto child = key.child(child_digit(other, position));
          const auto code = below[static_cast<std::size_t>(position)];
          if (code >= 0) {
            ASSERT_EQ(leaves[static_cast<std::size_t>(code)], child);
          } else {
            ASSERT_EQ(index_of(child), -1);
            ASSERT_NE(code, Neighbour::outside_code);
          }
        }
      }
    }
  }
}

TYPED_TEST(NeighboursQuick, CodesIdentifyTheAdjacentCells) {
  constexpr int D = TypeParam::value;
  Random random(1);
  for (const auto& domain : domains<D>()) {
    for (int depth = 0; depth <= 4; ++depth) {
      expect_right_codes(random_tree(domain, domain.base_level + depth, 0.3, random).balanced());
    }
  }
}

// All leaves that follow from the codes of a leaf; finer ones by descent towards it.
template <int D>
std::set<std::int32_t> leaves_around(const Neighbours<D>& neighbours, std::int32_t leaf) {
  std::set<std::int32_t> result;
  for (int direction = 0; direction < children<D>; ++direction) {
    if (direction == children<D> / 2) continue;
    const auto neighbour = neighbours.of(leaf, direction);
    if (neighbour.is_leaf()) result.insert(neighbour.leaf());
    if (!neighbour.is_refined()) continue;
    const auto offset = offset_of<D>(direction);
    const auto below = neighbours.refined_children(neighbour.refined_cell());
    for (int position = 0; position < children<D>; ++position) {
      bool near = true;
      for (int a = 0, rest = position; a < D; ++a, rest /= 3) {
        near = near && (offset[a] == 0 || rest % 3 == (offset[a] > 0 ? 0 : 2));
      }
      if (!near) continue;
      EXPECT_GE(below[static_cast<std::size_t>(position)], 0);
      result.insert(below[static_cast<std::size_t>(position)]);
    }
  }
  return result;
}

TYPED_TEST(NeighboursQuick, AreTheLeavesThatTouch) {
  constexpr int D = TypeParam::value;
  Random random(2);
  for (const auto& domain : domains<D>()) {
    for (int depth = 0; depth <= 3; ++depth) {
      auto tree = random_tree(domain, domain.base_level + depth, D == 2 ? 0.2 : 0.03, random).balanced();
      const Neighbours<D> neighbours(tree);
      const auto cells = cells_of(tree);
      const int finest = finest_level(tree);
      for (std::size_t i = 0; i < cells.size(); ++i) {
        std::set<std::int32_t> touching;
        const auto own = images(domain, box_of(cells[i], finest), finest);
        for (std::size_t j = 0; j < cells.size(); ++j) {
          const auto other = box_of(cells[j], finest);
          for (const auto& image : own) {
            // A leaf may touch its periodic image, but does not count as its own neighbour in place.
            if (i == j && image.low == other.low) continue;
            if (touch(image, other)) touching.insert(static_cast<std::int32_t>(j));
          }
        }
        ASSERT_EQ(leaves_around(neighbours, static_cast<std::int32_t>(i)), touching);
      }
    }
  }
}

TYPED_TEST(NeighboursQuick, AreSymmetricOnLargeRandomTrees) {
  constexpr int D = TypeParam::value;
  Random random(3);
  const auto domain = domains<D>()[1];
  const auto tree = random_tree_of(domain, 100000, D == 2 ? 10 : 7, random).balanced();
  const Neighbours<D> neighbours(tree);
  ASSERT_GE(tree.size(), 100000u);
  // Every pair is found from both sides, so the sorted list of pairs equals that of the swapped pairs.
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs, mirrored;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(tree.size()); ++i) {
    for (const auto j : leaves_around(neighbours, i)) {
      pairs.emplace_back(i, j);
      mirrored.emplace_back(j, i);
    }
  }
  std::sort(mirrored.begin(), mirrored.end());
  ASSERT_TRUE(pairs == mirrored);
}

TYPED_TEST(NeighboursQuick, OneCellAcrossAPeriodIsItsOwnNeighbour) {
  constexpr int D = TypeParam::value;
  const auto tree = Spacetree<D>::uniform(cube<D>(true), 0);
  const Neighbours<D> neighbours(tree);
  for (int direction = 0; direction < children<D>; ++direction)
    EXPECT_EQ(neighbours.of(0, direction).leaf(), 0);
}

TYPED_TEST(NeighboursQuick, DirectionsNumberOffsetsLexicographically) {
  constexpr int D = TypeParam::value;
  std::set<Index<D>> all;
  for (int direction = 0; direction < children<D>; ++direction) {
    all.insert(offset_of<D>(direction));
    EXPECT_EQ(direction_of<D>(offset_of<D>(direction)), direction);
  }
  EXPECT_EQ(all.size(), static_cast<std::size_t>(children<D>));
  EXPECT_EQ(offset_of<D>(children<D> / 2), Index<D>{});
}

}  // namespace
}  // namespace meander::mesh
