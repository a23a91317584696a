// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Compares every operation on distributed leaves with that on all leaves on one rank, for random partitions.

#include <gtest/gtest.h>

#include "tests/mesh/mpi/distributed_trees.hpp"

namespace meander::mesh {
namespace {

using namespace test;

template <class T>
class DistributedTreeQuick : public ::testing::Test {};
using Dimensions = ::testing::Types<Dimension<2>, Dimension<3>>;
TYPED_TEST_SUITE(DistributedTreeQuick, Dimensions);

TYPED_TEST(DistributedTreeQuick, UniformTreesAreCutEvenly) {
  constexpr int D = TypeParam::value;
  for (const auto& domain : domains<D>()) {
    for (int level = domain.base_level; level <= domain.base_level + 2; ++level) {
      const auto tree = DistributedTree<D>::uniform(domain, level, world());
      ASSERT_TRUE(tree.is_valid());
      ASSERT_EQ(gathered(tree), copy_of(Spacetree<D>::uniform(domain, level).leaves()));
      const std::int64_t ideal = tree.global_size() / world().size();
      ASSERT_LE(ideal, static_cast<std::int64_t>(tree.size()));
      ASSERT_GE(ideal + 1, static_cast<std::int64_t>(tree.size()));
    }
  }
}

TYPED_TEST(DistributedTreeQuick, ValidityDetectsGapsAndOverlaps) {
  constexpr int D = TypeParam::value;
  Random random(1);
  for (const auto& domain : domains<D>()) {
    const auto tree = random_tree(domain, domain.base_level + 3, 0.1, random);
    const auto whole = distributed(tree, random_cuts(tree.size(), random));
    ASSERT_TRUE(whole.is_valid());
#ifdef NDEBUG  // otherwise the constructor asserts
    auto leaves = copy_of(whole.leaves());
    const auto missing = static_cast<std::int64_t>(random() % tree.size()) - whole.first_leaf();
    if (0 <= missing && missing < static_cast<std::int64_t>(leaves.size()))
      leaves.erase(leaves.begin() + missing);
    ASSERT_FALSE(DistributedTree<D>(domain, leaves, world()).is_valid());
    leaves = copy_of(whole.leaves());
    if (0 <= missing && missing < static_cast<std::int64_t>(leaves.size())) {
      const auto leaf = leaves[static_cast<std::size_t>(missing)];
      leaves.insert(leaves.begin() + missing, leaf);
    }
    ASSERT_FALSE(DistributedTree<D>(domain, leaves, world()).is_valid());
#endif
  }
}

TYPED_TEST(DistributedTreeQuick, RepartitioningKeepsTheLeaves) {
  constexpr int D = TypeParam::value;
  Random random(2);
  for (const auto& domain : domains<D>()) {
    const auto tree = random_tree(domain, domain.base_level + 4, 0.15, random);
    auto cut = distributed(tree, random_cuts(tree.size(), random));
    for (int round = 0; round < 20; ++round) {
      const auto cuts = random_cuts(tree.size(), random);
      cut = cut.repartitioned(cuts);
      ASSERT_TRUE(std::equal(cuts.begin(), cuts.end(), cut.partition().first_leaves().begin()));
      ASSERT_TRUE(cut.is_valid());
      ASSERT_EQ(gathered(cut), copy_of(tree.leaves()));
      for (std::size_t i = 0; i < tree.size(); ++i) {
        const int owner = cut.partition().owner(position_of(tree.leaves()[i]));
        const auto leaf = static_cast<std::int64_t>(i);
        ASSERT_LE(cut.partition().first_leaf(owner), leaf);
        ASSERT_GT(cut.partition().first_leaf(owner + 1), leaf);
      }
    }
  }
}

TYPED_TEST(DistributedTreeQuick, BalanceEqualsThatOfOneRank) {
  constexpr int D = TypeParam::value;
  Random random(3);
  for (const auto& domain : domains<D>()) {
    for (int round = 0; round < 12; ++round) {
      const int depth = std::min(domain.base_level + 3 + round / 3, Key<D>::max_level);
      const auto tree = random_tree(domain, depth, 0.9 / children<D>, random);
      const auto cut = distributed(tree, random_cuts(tree.size(), random));
      const auto expected = tree.balanced();
      ASSERT_EQ(cut.is_balanced(), tree.is_balanced());
      const auto balanced = cut.balanced();
      ASSERT_EQ(gathered(balanced), copy_of(expected.leaves()));
      ASSERT_TRUE(balanced.is_balanced());
      ASSERT_TRUE(balanced.is_valid());
      // Leaves stay on their rank.
      for (const auto leaf : balanced.leaves()) {
        const auto old = std::find_if(cut.leaves().begin(), cut.leaves().end(),
                                      [&](Key<D> key) { return key.contains(leaf); });
        ASSERT_NE(old, cut.leaves().end());
      }
    }
  }
}

// A single leaf of the deepest level requires cells all over the domain.
TYPED_TEST(DistributedTreeQuick, BalanceOfADeepSpike) {
  constexpr int D = TypeParam::value;
  Random random(4);
  for (const auto& domain : domains<D>()) {
    for (int round = 0; round < 4; ++round) {
      const int depth = std::min(domain.base_level + (D == 2 ? 10 : 7), Key<D>::max_level);
      Index<D> target{};
      for (int a = 0; a < D; ++a) {
        const int n = domain.cells(depth, a);
        target[a] = round == 0 ? 0 : static_cast<int>(random() % static_cast<unsigned>(n));
      }
      const auto tree =
          refined_where(Spacetree<D>::uniform(domain, domain.base_level), depth, [&](const Cell<D>& cell) {
            bool holds = true;
            for (int a = 0; a < D; ++a)
              holds = holds && target[a] / ipow(3, depth - cell.level) == cell.at[a];
            return holds;
          });
      const auto cut = distributed(tree, random_cuts(tree.size(), random));
      ASSERT_EQ(gathered(cut.balanced()), copy_of(tree.balanced().leaves()));
    }
  }
}

// Several rounds of adaptation by random flags, each with families united before and random partitions after.
TYPED_TEST(DistributedTreeQuick, AdaptationEqualsThatOfOneRank) {
  constexpr int D = TypeParam::value;
  Random random(5);
  for (const auto& domain : domains<D>()) {
    const int m = domain.base_level;
    auto tree = random_tree(domain, m + 2, 0.1, random).balanced();
    for (int round = 0; round < 30; ++round) {
      const int min_level = m + (round % 5 == 4), max_level = m + (round % 7 == 6 ? 2 : 4);
      const double refine = tree.size() > 3000 ? 0.0 : D == 2 ? 0.05 : 0.01;
      const double keep = round % 3 == 0 ? 0.0 : 0.03;
      std::vector<Adapt> votes(tree.size());
      for (auto& vote : votes) {
        vote = chance(random, refine) ? Adapt::refine : chance(random, keep) ? Adapt::keep : Adapt::coarsen;
      }
      const auto before = distributed(tree, random_cuts(tree.size(), random));
      const auto votes_of = [&](const DistributedTree<D>& of) {
        return std::span<const Adapt>(votes).subspan(static_cast<std::size_t>(of.first_leaf()), of.size());
      };
      const auto united =
          before.repartitioned(before.families_united(votes_of(before), min_level, max_level));
      const auto next = united.adapted(votes_of(united), min_level, max_level);
      tree = tree.adapted(votes, min_level, max_level);
      ASSERT_EQ(gathered(next), copy_of(tree.leaves())) << "round " << round;
      ASSERT_TRUE(next.is_valid());
      for (int r = 0; r <= world().size(); ++r)
        ASSERT_EQ(next.partition().first_position(r), united.partition().first_position(r));
    }
  }
}

// Families on several ranks are united if flagged; no other leaves move.
TYPED_TEST(DistributedTreeQuick, FamiliesAreUnitedAtTheirFirstLeaf) {
  constexpr int D = TypeParam::value;
  Random random(6);
  for (const auto& domain : domains<D>()) {
    const int m = domain.base_level;
    const auto tree = random_tree(domain, m + 3, 0.3, random);
    const auto leaves = tree.leaves();
    for (int round = 0; round < 20; ++round) {
      const auto cuts = random_cuts(tree.size(), random);
      const auto cut = distributed(tree, cuts);
      std::vector<Adapt> votes(tree.size());
      for (auto& vote : votes) vote = chance(random, 0.01) ? Adapt::keep : Adapt::coarsen;
      const std::span<const Adapt> own =
          std::span<const Adapt>(votes).subspan(static_cast<std::size_t>(cut.first_leaf()), cut.size());
      auto expected = cuts;
      for (std::size_t i = 0; i + children<D> <= leaves.size(); ++i) {
        const int level = leaves[i].level();
        bool family = level > m;
        for (std::size_t k = 0; k < children<D> && family; ++k) {
          family = leaves[i + k] == leaves[i].parent().child(static_cast<int>(k)) &&
                   votes[i + k] == Adapt::coarsen;
        }
        if (!family) continue;
        const auto begin = static_cast<std::int64_t>(i), end = begin + children<D>;
        for (auto& at : expected) {
          if (begin < at && at < end) at = end;
        }
      }
      ASSERT_EQ(cut.families_united(own, 0, Key<D>::max_level), expected);
    }
  }
}

TYPED_TEST(DistributedTreeQuick, PredicatesOnCellsActAsOnOneRank) {
  constexpr int D = TypeParam::value;
  Random random(7);
  for (const auto& domain : domains<D>()) {
    const int m = domain.base_level;
    const auto tree = random_tree(domain, m + 2, 0.2, random);
    const auto rule = [](const Cell<D>& cell) {
      int sum = cell.level;
      for (const int x : cell.at) sum = 7 * sum + x;
      return sum % 5 == 0;
    };
    const auto cut = distributed(tree, random_cuts(tree.size(), random));
    const auto fine = cut.refined_where(m + 4, rule);
    ASSERT_EQ(gathered(fine), copy_of(refined_where(tree, m + 4, rule).leaves()));
    // On one rank, all families are whole.
    std::vector<std::int64_t> one(static_cast<std::size_t>(world().size()) + 1, fine.global_size());
    one.front() = 0;
    const auto serial = Spacetree<D>(domain, gathered(fine));
    ASSERT_EQ(gathered(fine.repartitioned(one).coarsened_where(rule)),
              copy_of(coarsened_where(serial, rule).leaves()));
    ASSERT_TRUE(fine.coarsened_where(rule).is_valid());
  }
}

TYPED_TEST(DistributedTreeQuick, PointsAreFoundOnTheirRank) {
  constexpr int D = TypeParam::value;
  Random random(8);
  for (const auto& domain : domains<D>()) {
    const auto tree = random_tree(domain, domain.base_level + 4, 0.1, random);
    const auto cut = distributed(tree, random_cuts(tree.size(), random));
    std::vector<Point<D>> points(1000);
    for (auto& x : points) {
      for (int a = 0; a < D; ++a) {
        const int n = domain.base_cells[a];
        // Including corners of cells and points outside.
        x[a] = chance(random, 0.3)
                   ? domain.face(domain.base_level + 1, a, static_cast<int>(random() % 4))
                   : uniform_in(random, domain.lower[a] - 0.01, domain.face(domain.base_level, a, n) + 0.01);
      }
    }
    std::vector<std::int32_t> expected(points.size()), ranks(points.size()), leaves(points.size());
    tree.find(points, expected);
    cut.find(points, ranks, leaves);
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (expected[i] < 0) {
        ASSERT_EQ(ranks[i], -1);
        ASSERT_EQ(leaves[i], -1);
        continue;
      }
      ASSERT_LE(cut.partition().first_leaf(ranks[i]), expected[i]);
      ASSERT_GT(cut.partition().first_leaf(ranks[i] + 1), expected[i]);
      ASSERT_EQ(leaves[i], ranks[i] == world().rank() ? expected[i] - cut.first_leaf() : -1);
    }
  }
}

TYPED_TEST(DistributedTreeQuick, CompletionIsCoarsest) {
  constexpr int D = TypeParam::value;
  Random random(9);
  for (const auto& domain : domains<D>()) {
    for (int round = 0; round < 20; ++round) {
      const auto tree = random_tree(domain, domain.base_level + 3, 0.2, random);
      std::vector<Key<D>> some;
      const double density = round % 4 == 0 ? 0.01 : round % 4 == 1 ? 0.9 : 0.1;
      for (const auto leaf : tree.leaves()) {
        if (chance(random, density)) some.push_back(leaf);
      }
      std::vector<std::size_t> index;
      const auto whole = complete_tree<D>(domain, some, &index);
      ASSERT_TRUE(whole.is_valid());
      ASSERT_EQ(index.size(), some.size());
      std::vector<bool> given(whole.size(), false);
      for (std::size_t i = 0; i < some.size(); ++i) {
        ASSERT_EQ(whole.leaves()[index[i]], some[i]);
        given[index[i]] = true;
      }
      // The parent of a filling cell contains one of the leaves; otherwise it could replace the cell.
      for (std::size_t i = 0; i < whole.size(); ++i) {
        const Key<D> cell = whole.leaves()[i];
        if (given[i] || cell.level() == domain.base_level) continue;
        ASSERT_TRUE(
            std::any_of(some.begin(), some.end(), [&](Key<D> k) { return cell.parent().contains(k); }));
      }
    }
  }
}

}  // namespace
}  // namespace meander::mesh
