// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/spacetree.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/mesh/random_trees.hpp"

namespace meander::mesh {
namespace {

using namespace test;

template <class T>
class SpacetreeQuick : public ::testing::Test {};
using Dimensions = ::testing::Types<Dimension<2>, Dimension<3>>;
TYPED_TEST_SUITE(SpacetreeQuick, Dimensions);

TYPED_TEST(SpacetreeQuick, UniformTreesHaveAllCellsOfTheBox) {
  constexpr int D = TypeParam::value;
  for (const auto& domain : domains<D>()) {
    for (int level = domain.base_level; level <= domain.base_level + 2; ++level) {
      const auto tree = Spacetree<D>::uniform(domain, level);
      ASSERT_TRUE(tree.is_valid());
      ASSERT_TRUE(tree.is_balanced());
      std::size_t cells = 1;
      for (int a = 0; a < D; ++a) cells *= static_cast<std::size_t>(domain.cells(level, a));
      ASSERT_EQ(tree.size(), cells);
      for (const auto& cell : cells_of(tree)) {
        ASSERT_EQ(cell.level, level);
        for (int a = 0; a < D; ++a) ASSERT_LT(cell.at[a], domain.cells(level, a));
      }
    }
  }
}

// The leaves that share neither a face nor part of a face with their predecessor.
template <int D>
std::vector<std::size_t> jumps_along(const Spacetree<D>& tree) {
  const auto cells = cells_of(tree);
  const int finest = finest_level(tree);
  std::vector<std::size_t> jumps;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    int shared = 0;
    const bool touching = touch(box_of(cells[i - 1], finest), box_of(cells[i], finest), &shared);
    if (!touching || shared != D - 1) jumps.push_back(i);
  }
  return jumps;
}

TYPED_TEST(SpacetreeQuick, SuccessiveLeavesShareAFaceOrAPartOfOne) {
  constexpr int D = TypeParam::value;
  Random random(2);
  for (int round = 0; round < 20; ++round) {
    EXPECT_TRUE(jumps_along(random_tree(cube<D>(), D == 2 ? 8 : 5, 0.3, random)).empty());
  }
  const auto large = random_tree_of(cube<D>(), 100000, D == 2 ? 12 : 9, random);
  EXPECT_GE(large.size(), 100000u);
  EXPECT_TRUE(jumps_along(large).empty());
  EXPECT_TRUE(jumps_along(large.balanced()).empty());
}

// In a box the curve jumps only where the curve of the root cube leaves the box and returns at another cell.
TYPED_TEST(SpacetreeQuick, InABoxTheCurveJumpsOnlyWhereItLeavesTheBox) {
  constexpr int D = TypeParam::value;
  Random random(3);
  for (const auto& domain : domains<D>()) {
    const int m = domain.base_level;
    Domain<D> whole = cube<D>();
    whole.base_level = m;
    whole.base_cells.fill(ipow(3, m));
    const auto root = Spacetree<D>::uniform(whole, m);
    const auto rank = [&](Key<D> leaf) {
      return std::lower_bound(root.leaves().begin(), root.leaves().end(), leaf.ancestor(m)) -
             root.leaves().begin();
    };
    const auto tree = random_tree(domain, m + (D == 2 ? 4 : 3), 0.3, random);
    const auto jumps = jumps_along(tree);
    EXPECT_LT(jumps.size(), domain.number_of_base_cells());
    for (const std::size_t i : jumps) EXPECT_GT(rank(tree.leaves()[i]), rank(tree.leaves()[i - 1]) + 1);
  }
}

TYPED_TEST(SpacetreeQuick, ValidityDetectsEveryDefect) {
  constexpr int D = TypeParam::value;
  Random random(4);
  for (const auto& domain : domains<D>()) {
    const auto tree = random_tree(domain, domain.base_level + 3, 0.3, random);
    ASSERT_TRUE(tree.is_valid());
    const std::vector<Key<D>> good(tree.leaves().begin(), tree.leaves().end());
    const auto valid = [&](const std::vector<Key<D>>& leaves) { return Spacetree<D>::tiles(domain, leaves); };
    ASSERT_TRUE(valid(good));
    ASSERT_FALSE(valid({}));
    for (std::size_t i = 0; i < good.size(); i += 1 + good.size() / 50) {
      auto gap = good, twice = good, unsorted = good, coarse = good, partial = good;
      gap.erase(gap.begin() + static_cast<std::ptrdiff_t>(i));
      twice.insert(twice.begin() + static_cast<std::ptrdiff_t>(i), good[i]);
      std::swap(unsorted[i], unsorted[(i + 1) % good.size()]);
      if (good[i].level() > 0) coarse[i] = good[i].parent();
      partial[i] = good[i].child(0);
      EXPECT_FALSE(valid(gap));
      EXPECT_FALSE(valid(twice));
      if (good.size() > 1) {
        EXPECT_FALSE(valid(unsorted));
      }
      if (good[i].level() > 0) {
        EXPECT_FALSE(valid(coarse));
      }
      EXPECT_FALSE(valid(partial));
    }
    auto longer = good;
    longer.push_back(good.back().child(0));
    EXPECT_FALSE(valid(longer));
  }
}

template <int D>
int owners_of(const Domain<D>& domain, const std::vector<Cell<D>>& cells, const Point<D>& x,
              std::int32_t& last) {
  int owners = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    bool inside = true;
    for (int a = 0; a < D; ++a) {
      const auto [level, at] = std::pair(cells[i].level, cells[i].at[a]);
      const double low = domain.face(level, a, at), high = domain.face(level, a, at + 1);
      const bool at_upper_border = at + 1 == domain.cells(level, a) && x[a] == high;
      inside = inside && x[a] >= low && (x[a] < high || at_upper_border);
    }
    if (inside) {
      ++owners;
      last = static_cast<std::int32_t>(i);
    }
  }
  return owners;
}

TYPED_TEST(SpacetreeQuick, FindReturnsTheOnlyOwnerOfEveryPoint) {
  constexpr int D = TypeParam::value;
  Random random(5);
  for (const auto& domain : domains<D>()) {
    const auto tree = random_tree(domain, domain.base_level + 4, D == 2 ? 0.3 : 0.05, random);
    const auto cells = cells_of(tree);
    std::vector<Point<D>> points(300);
    for (auto& x : points) {
      const auto& corner = cells[random() % cells.size()];
      for (int a = 0; a < D; ++a) {
        x[a] = uniform_in(random, domain.lower[a], domain.face(domain.base_level, a, domain.base_cells[a]));
        // On faces, and one representable number beside them.
        const auto choice = random() % 8;
        const double face = domain.face(corner.level, a, corner.at[a] + static_cast<int>(random() % 2));
        if (choice == 0) x[a] = face;
        if (choice == 1) x[a] = std::nextafter(face, -1e9);
        if (choice == 2) x[a] = std::nextafter(face, 1e9);
      }
    }
    std::vector<std::int32_t> found(points.size());
    tree.find(points, found);
    for (std::size_t i = 0; i < points.size(); ++i) {
      std::int32_t owner = -1;
      ASSERT_LE(owners_of(domain, cells, points[i], owner), 1);
      ASSERT_EQ(tree.find(points[i]), owner);
      ASSERT_EQ(found[i], owner);
    }
  }
}

TYPED_TEST(SpacetreeQuick, LeavesOwnTheirLowerCornersAndCentres) {
  constexpr int D = TypeParam::value;
  Random random(6);
  for (auto domain : domains<D>()) {
    domain.base_width = 0.1;
    for (int a = 0; a < D; ++a) domain.lower[a] = 1.0 / 3.0 + 1000 * a;
    const auto tree = random_tree_of(domain, 20000, Key<D>::max_level, random);
    const auto cells = cells_of(tree);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      ASSERT_EQ(tree.find(domain.lower_corner(cells[i])), static_cast<std::int32_t>(i));
    }
    Point<D> upper, outside;
    for (int a = 0; a < D; ++a) upper[a] = domain.face(domain.base_level, a, domain.base_cells[a]);
    ASSERT_GE(tree.find(upper), 0);
    for (int a = 0; a < D; ++a) {
      ASSERT_EQ(cells[static_cast<std::size_t>(tree.find(upper))].at[a] + 1,
                domain.cells(cells[static_cast<std::size_t>(tree.find(upper))].level, a));
      outside = upper;
      outside[a] = std::nextafter(upper[a], 1e9);
      EXPECT_EQ(tree.find(outside), -1);
      outside[a] = std::nextafter(domain.lower[a], -1e9);
      EXPECT_EQ(tree.find(outside), -1);
      outside[a] = std::nan("");
      EXPECT_EQ(tree.find(outside), -1);
    }
  }
}

TYPED_TEST(SpacetreeQuick, FaceCoordinatesAreIdenticalOnAllLevels) {
  constexpr int D = TypeParam::value;
  Random random(7);
  for (int i = 0; i < 20000; ++i) {
    Domain<D> domain = cube<D>();
    domain.base_width = uniform_in(random, 0.01, 10);
    domain.lower[0] = uniform_in(random, -1, 1);
    const int level = static_cast<int>(random() % Key<D>::max_level);
    const int x = static_cast<int>(random() % static_cast<unsigned>(ipow(3, level) + 1));
    EXPECT_EQ(domain.face(level, 0, x), domain.face(level + 1, 0, 3 * x));
  }
  const auto unit = cube<D>();
  EXPECT_EQ(unit.face(3, 0, 27), 1.0);
  EXPECT_EQ(unit.face(Key<D>::max_level, 0, ipow(3, Key<D>::max_level)), 1.0);
}

// Compares origins with their definition for every leaf.
template <int D>
void expect_origins(const Spacetree<D>& previous, const Spacetree<D>& next) {
  const auto origin = origins(previous, next);
  const auto old = previous.leaves();
  ASSERT_EQ(origin.size(), next.size());
  std::vector<bool> used(old.size(), false);
  for (std::size_t i = 0; i < origin.size(); ++i) {
    const Key<D> leaf = next.leaves()[i];
    const auto first = static_cast<std::size_t>(origin[i].old_leaf);
    const auto count = static_cast<std::size_t>(origin[i].old_count);
    ASSERT_LE(first + count, old.size());
    switch (origin[i].kind) {
      case Origin::Kind::same:
        ASSERT_EQ(count, 1u);
        ASSERT_EQ(old[first], leaf);
        break;
      case Origin::Kind::refined:
        ASSERT_EQ(count, 1u);
        ASSERT_NE(old[first], leaf);
        ASSERT_TRUE(old[first].contains(leaf));
        break;
      case Origin::Kind::coarsened:
        ASSERT_GE(count, static_cast<std::size_t>(children<D>));
        for (std::size_t k = first; k < first + count; ++k) ASSERT_TRUE(leaf.contains(old[k]));
        ASSERT_TRUE(first == 0 || !leaf.contains(old[first - 1]));
        ASSERT_TRUE(first + count == old.size() || !leaf.contains(old[first + count]));
        break;
    }
    for (std::size_t k = first; k < first + count; ++k) used[k] = true;
  }
  ASSERT_EQ(std::count(used.begin(), used.end(), false), 0);
}

TYPED_TEST(SpacetreeQuick, OriginsIdentifyTheOldLeaves) {
  constexpr int D = TypeParam::value;
  Random random(8);
  for (const auto& domain : domains<D>()) {
    auto tree = random_tree(domain, domain.base_level + 3, 0.3, random).balanced();
    for (int round = 0; round < 5; ++round) {
      std::vector<Adapt> votes(tree.size());
      for (auto& vote : votes) vote = chance(random, 0.05) ? Adapt::refine : Adapt::coarsen;
      const auto next = tree.adapted(votes, 0, domain.base_level + 4);
      expect_origins(tree, next);
      expect_origins(tree, tree);
      tree = next;
    }
    // Any number of levels at once.
    expect_origins(tree, Spacetree<D>::uniform(domain, domain.base_level));
    expect_origins(Spacetree<D>::uniform(domain, domain.base_level), tree);
    expect_origins(tree, random_tree(domain, domain.base_level + 4, 0.3, random));
  }
}

}  // namespace
}  // namespace meander::mesh
