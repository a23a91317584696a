// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Refinement, coarsening and balance against brute force.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/mesh/random_trees.hpp"

namespace meander::mesh {
namespace {

using namespace test;

template <class T>
class BalanceQuick : public ::testing::Test {};
using Dimensions = ::testing::Types<Dimension<2>, Dimension<3>>;
TYPED_TEST_SUITE(BalanceQuick, Dimensions);

// For each leaf, whether a leaf finer by two or more levels touches it. Tests all pairs.
template <int D>
std::vector<bool> too_coarse(const Domain<D>& domain, const std::vector<Key<D>>& leaves) {
  int finest = 0;
  for (const auto leaf : leaves) finest = std::max(finest, leaf.level());
  std::vector<Box<D>> boxes;
  for (const auto leaf : leaves) boxes.push_back(box_of(cell_of(leaf), finest));
  std::vector<bool> result(leaves.size(), false);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].level() + 2 > finest) continue;
    const auto own = images(domain, boxes[i], finest);
    for (std::size_t j = 0; j < leaves.size() && !result[i]; ++j) {
      if (leaves[j].level() < leaves[i].level() + 2) continue;
      for (const auto& image : own) result[i] = result[i] || touch(image, boxes[j]);
    }
  }
  return result;
}

// The coarsest balanced refinement by definition: splits leaves that are too coarse until there are none.
template <int D>
std::vector<Key<D>> balanced_by_force(const Domain<D>& domain, std::vector<Key<D>> leaves) {
  for (;;) {
    const auto coarse = too_coarse(domain, leaves);
    if (std::find(coarse.begin(), coarse.end(), true) == coarse.end()) return leaves;
    std::vector<Key<D>> next;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (!coarse[i]) next.push_back(leaves[i]);
      for (int digit = 0; coarse[i] && digit < children<D>; ++digit) next.push_back(leaves[i].child(digit));
    }
    leaves = std::move(next);
  }
}

template <int D>
std::vector<Key<D>> copy_of(std::span<const Key<D>> leaves) {
  return {leaves.begin(), leaves.end()};
}

// Refines down to one random cell of the finest level.
template <int D>
Spacetree<D> refined_towards_random(const Spacetree<D>& tree, int finest, Random& random) {
  Index<D> target{};
  // Half of the coordinates lie at a border, where periods matter.
  for (int a = 0; a < D; ++a) {
    const int n = tree.domain().cells(finest, a);
    const auto choice = random() % 4;
    target[a] = choice == 0 ? 0 : choice == 1 ? n - 1 : static_cast<int>(random() % static_cast<unsigned>(n));
  }
  return refined_where(tree, finest, [&](const Cell<D>& cell) {
    bool holds = true;
    for (int a = 0; a < D; ++a) holds = holds && target[a] / ipow(3, finest - cell.level) == cell.at[a];
    return holds;
  });
}

// Small trees that are deep in a few places.
template <int D>
Spacetree<D> spiky_tree(const Domain<D>& domain, int depth, Random& random) {
  auto tree = Spacetree<D>::uniform(domain, domain.base_level);
  for (int spike = 0; spike < 2; ++spike) {
    tree = refined_towards_random(tree, domain.base_level + depth, random);
  }
  return tree;
}

TYPED_TEST(BalanceQuick, IsTheCoarsestBalancedRefinement) {
  constexpr int D = TypeParam::value;
  Random random(1);
  for (const auto& domain : domains<D>()) {
    for (int round = 0; round < 6; ++round) {
      const auto tree = round % 2 == 0
                            ? spiky_tree(domain, D == 2 ? 5 : 3 + round / 3, random)
                            : random_tree(domain, domain.base_level + 3, D == 2 ? 0.1 : 0.03, random);
      const auto expected = balanced_by_force(domain, copy_of(tree.leaves()));
      const auto balanced = tree.balanced();
      ASSERT_EQ(copy_of(balanced.leaves()), expected);
      ASSERT_EQ(tree.is_balanced(), expected.size() == tree.size());
      ASSERT_TRUE(balanced.is_valid());
      ASSERT_TRUE(balanced.is_balanced());
      ASSERT_TRUE(same_leaves(balanced, balanced.balanced()));
    }
  }
}

TYPED_TEST(BalanceQuick, IsAnIdempotentRefinementOfLargeRandomTrees) {
  constexpr int D = TypeParam::value;
  Random random(2);
  for (const auto& domain : domains<D>()) {
    const auto tree =
        random_tree_of(domain, 30000, std::min(domain.base_level + 12, Key<D>::max_level), random);
    const auto balanced = tree.balanced();
    ASSERT_TRUE(balanced.is_valid());
    ASSERT_TRUE(balanced.is_balanced());
    ASSERT_TRUE(same_leaves(balanced, balanced.balanced()));
    for (const auto& origin : origins(tree, balanced)) ASSERT_NE(origin.kind, Origin::Kind::coarsened);
  }
}

// Coarsening any family that balance created must break the balance.
TYPED_TEST(BalanceQuick, AddsNoUnnecessaryFamilyToLargeRandomTrees) {
  constexpr int D = TypeParam::value;
  Random random(6);
  for (const auto& domain : domains<D>()) {
    const int depth = std::min(domain.base_level + 8, Key<D>::max_level);
    auto tree = random_tree(domain, depth, 0.7 / children<D>, random);
    for (int spike = 0; spike < 20; ++spike) tree = refined_towards_random(tree, depth, random);
    const auto balanced = tree.balanced();
    const auto origin = origins(tree, balanced);
    const auto leaves = balanced.leaves();
    ASSERT_GT(leaves.size(), tree.size());
    int tried = 0;
    for (std::size_t i = random() % 50; i + children<D> <= leaves.size() && tried < 100; ++i) {
      const int level = leaves[i].level();
      const bool made = origin[i].kind == Origin::Kind::refined && leaves[i].digit(level) == 0 &&
                        leaves[i + children<D> - 1] == leaves[i].parent().child(children<D> - 1);
      if (!made) continue;
      auto joined = copy_of(leaves);
      const auto at = joined.begin() + static_cast<std::ptrdiff_t>(i);
      *at = at->parent();
      joined.erase(at + 1, at + children<D>);
      ASSERT_FALSE(Spacetree<D>(domain, joined).is_balanced());
      ++tried;
    }
    ASSERT_GT(tried, 0);
  }
}

// adapted() by definition: the flags of families and leaves, then the coarsest balanced refinement.
template <int D>
std::vector<Key<D>> adapted_by_force(const Spacetree<D>& tree, const std::vector<Adapt>& flags, int min_level,
                                     int max_level) {
  min_level = std::max(min_level, tree.domain().base_level);
  std::vector<Key<D>> wanted;
  const auto leaves = tree.leaves();
  for (std::size_t i = 0; i < leaves.size();) {
    const int level = leaves[i].level();
    bool family = level > min_level && level > 0;
    for (std::size_t k = 0; k < children<D> && family; ++k) {
      family = i + k < leaves.size() && flags[i + k] == Adapt::coarsen &&
               leaves[i + k] == leaves[i].parent().child(static_cast<int>(k));
    }
    if (family) {
      wanted.push_back(leaves[i].parent());
      i += children<D>;
      continue;
    }
    if (flags[i] == Adapt::refine && level < max_level) {
      for (int digit = 0; digit < children<D>; ++digit) wanted.push_back(leaves[i].child(digit));
    } else {
      wanted.push_back(leaves[i]);
    }
    ++i;
  }
  return balanced_by_force(tree.domain(), wanted);
}

TYPED_TEST(BalanceQuick, AdaptationFollowsTheFlagsAsFarAsBalancePermits) {
  constexpr int D = TypeParam::value;
  Random random(3);
  for (const auto& domain : domains<D>()) {
    const int m = domain.base_level;
    auto tree = random_tree(domain, m + 2, 0.1, random).balanced();
    for (int round = 0; round < 8; ++round) {
      const int min_level = m + (round == 5), max_level = m + (D == 2 ? 4 : 3);
      const double refine = tree.size() > 1500 ? 0.0 : D == 2 ? 0.05 : 0.01;
      std::vector<Adapt> flags(tree.size());
      for (auto& vote : flags) {
        vote = chance(random, refine) ? Adapt::refine : chance(random, 0.02) ? Adapt::keep : Adapt::coarsen;
      }
      const auto next = tree.adapted(flags, min_level, max_level);
      if (round != 5) {
        ASSERT_EQ(copy_of(next.leaves()), adapted_by_force(tree, flags, min_level, max_level));
      }
      ASSERT_TRUE(next.is_valid());
      ASSERT_TRUE(next.is_balanced());
      const auto origin = origins(tree, next);
      for (std::size_t i = 0; i < origin.size(); ++i) {
        const int level = next.leaves()[i].level();
        const auto old = static_cast<std::size_t>(origin[i].old_leaf);
        ASSERT_GE(level, min_level);
        ASSERT_LE(level, max_level);
        ASSERT_LE(std::abs(level - tree.leaves()[old].level()), 1);
        // Refinement takes precedence.
        if (flags[old] == Adapt::refine && tree.leaves()[old].level() < max_level) {
          ASSERT_EQ(origin[i].kind, Origin::Kind::refined);
        }
      }
      tree = next;
    }
  }
}

TYPED_TEST(BalanceQuick, LevelsConvergeIntoTheLimits) {
  constexpr int D = TypeParam::value;
  for (const auto& domain : domains<D>()) {
    const int m = domain.base_level;
    const auto coarse = Spacetree<D>::uniform(domain, m);
    const std::vector<Adapt> keep(coarse.size(), Adapt::keep), down(coarse.size(), Adapt::coarsen);
    EXPECT_TRUE(same_leaves(coarse.adapted(keep, m + 1, m + 2), Spacetree<D>::uniform(domain, m + 1)));
    EXPECT_TRUE(same_leaves(coarse.adapted(down, 0, m + 2), coarse));
    const auto fine = Spacetree<D>::uniform(domain, m + 2);
    const std::vector<Adapt> finer(fine.size(), Adapt::refine);
    EXPECT_TRUE(same_leaves(fine.adapted(finer, 0, m + 2), fine));
    EXPECT_TRUE(same_leaves(fine.adapted(finer, 0, m + 1), Spacetree<D>::uniform(domain, m + 1)));
  }
}

TYPED_TEST(BalanceQuick, CoarseningEndsAtTheBaseCells) {
  constexpr int D = TypeParam::value;
  Random random(4);
  for (const auto& domain : domains<D>()) {
    auto tree =
        random_tree_of(domain, 5000, std::min(domain.base_level + 8, Key<D>::max_level), random).balanced();
    for (int round = 0; round < 12; ++round) {
      const std::vector<Adapt> flags(tree.size(), Adapt::coarsen);
      tree = tree.adapted(flags, 0, Key<D>::max_level);
      ASSERT_TRUE(tree.is_balanced());
    }
    EXPECT_TRUE(same_leaves(tree, Spacetree<D>::uniform(domain, domain.base_level)));
  }
}

TYPED_TEST(BalanceQuick, DeepestLevelIsReached) {
  constexpr int D = TypeParam::value;
  for (const bool periodic : {false, true}) {
    const auto tree = refined_where(Spacetree<D>::uniform(cube<D>(periodic), 0), Key<D>::max_level,
                                    [](const Cell<D>& cell) { return cell.at == Index<D>{}; });
    const auto balanced = tree.balanced();
    EXPECT_EQ(finest_level(balanced), Key<D>::max_level);
    EXPECT_TRUE(balanced.is_valid());
    EXPECT_TRUE(balanced.is_balanced());
    EXPECT_EQ(periodic, balanced.size() > tree.size());
  }
}

TYPED_TEST(BalanceQuick, CoarsenedWhereJoinsEachFamilyOnce) {
  constexpr int D = TypeParam::value;
  Random random(5);
  for (const auto& domain : domains<D>()) {
    const auto coarse = random_tree(domain, domain.base_level + 3, 0.2, random);
    const auto fine = refined_where(coarse, Key<D>::max_level, [&](const Cell<D>& cell) {
      const auto leaves = coarse.leaves();
      return std::binary_search(leaves.begin(), leaves.end(), key_of(cell));
    });
    EXPECT_EQ(fine.size(), coarse.size() * children<D>);
    EXPECT_TRUE(same_leaves(coarsened_where(fine, [](const Cell<D>&) { return true; }), coarse));
    EXPECT_TRUE(same_leaves(coarsened_where(fine, [](const Cell<D>&) { return false; }), fine));
    const auto base = Spacetree<D>::uniform(domain, domain.base_level);
    EXPECT_TRUE(same_leaves(coarsened_where(base, [](const Cell<D>&) { return true; }), base));
  }
}

}  // namespace
}  // namespace meander::mesh
