// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Compares ghosts with all pairs of leaves, and the neighbours in a rank's view with those in the whole tree.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "mesh/local_view.hpp"
#include "tests/mesh/mpi/distributed_trees.hpp"

namespace meander::mesh {
namespace {

using namespace test;

template <class T>
class GhostsQuick : public ::testing::Test {};
using Dimensions = ::testing::Types<Dimension<2>, Dimension<3>>;
TYPED_TEST_SUITE(GhostsQuick, Dimensions);

// All pairs of leaves that touch.
template <int D>
std::vector<std::pair<std::size_t, std::size_t>> touching_pairs(const Spacetree<D>& tree) {
  std::vector<std::pair<std::size_t, std::size_t>> result;
  const auto cells = cells_of(tree);
  const int finest = finest_level(tree);
  std::vector<Box<D>> boxes;
  for (const auto& cell : cells) boxes.push_back(box_of(cell, finest));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto own = images(tree.domain(), boxes[i], finest);
    for (std::size_t j = 0; j < cells.size(); ++j) {
      bool touches = false;
      for (const auto& image : own) touches = touches || touch(image, boxes[j]);
      if (touches) result.emplace_back(i, j);
    }
  }
  return result;
}

TYPED_TEST(GhostsQuick, AreTheTouchingLeavesOfOtherRanks) {
  constexpr int D = TypeParam::value;
  Random random(1);
  for (const auto& domain : domains<D>()) {
    for (int depth = 0; depth <= 3; ++depth) {
      const auto tree =
          random_tree(domain, domain.base_level + depth, D == 2 ? 0.15 : 0.03, random).balanced();
      if (tree.size() > 4000) continue;
      const auto pairs = touching_pairs(tree);
      const auto leaves = tree.leaves();
      for (int round = 0; round < 6; ++round) {
        const auto cut = distributed_at_random(tree, round, random);
        const auto owner = [&](std::size_t leaf) { return cut.owner(leaves[leaf]); };
        std::map<std::size_t, std::int32_t> own_number;
        for (std::size_t i = 0; i < cut.size(); ++i) {
          const auto number = static_cast<std::size_t>(cut.number(i));
          ASSERT_EQ(leaves[number], cut.leaves()[i]);
          own_number[number] = static_cast<std::int32_t>(i);
        }
        for (std::size_t i = 0; i < leaves.size(); ++i) {
          ASSERT_EQ(owner(i) == world().rank(), own_number.contains(i));
        }
        std::set<std::pair<int, Key<D>>> ghosts;
        std::map<int, std::set<std::int32_t>> mirrors;
        for (const auto& [i, j] : pairs) {
          if (owner(i) != world().rank() || owner(j) == world().rank()) continue;
          ghosts.insert({owner(j), leaves[j]});
          mirrors[owner(j)].insert(own_number.at(i));
        }
        const auto layer = GhostLayer<D>::of(cut);
        std::vector<Key<D>> expected_leaves;
        for (const auto& [rank, leaf] : ghosts) expected_leaves.push_back(leaf);
        ASSERT_EQ(layer.leaves, expected_leaves);
        ASSERT_EQ(layer.neighbours.size(), mirrors.size());
        std::size_t next = 0;
        auto expected = mirrors.begin();
        for (const auto& neighbour : layer.neighbours) {
          ASSERT_EQ(neighbour.rank, expected->first);
          ASSERT_EQ(neighbour.mirrors,
                    std::vector<std::int32_t>(expected->second.begin(), expected->second.end()));
          ++expected;
          ASSERT_EQ(neighbour.begin, next);
          next = neighbour.end;
          for (std::size_t g = neighbour.begin; g < neighbour.end; ++g)
            ASSERT_EQ(cut.owner(layer.leaves[g]), neighbour.rank);
        }
        ASSERT_EQ(next, layer.leaves.size());
      }
    }
  }
}

TYPED_TEST(GhostsQuick, ValuesArriveWithTheirLeaves) {
  constexpr int D = TypeParam::value;
  Random random(2);
  struct Value {
    Key<D> key;
    char pad[3];
  };
  for (const auto& domain : domains<D>()) {
    const auto tree = random_tree_of(domain, 3000, domain.base_level + 6, random).balanced();
    for (int round = 0; round < 5; ++round) {
      const auto cut = distributed_at_random(tree, round, random);
      const auto layer = GhostLayer<D>::of(cut);
      std::vector<Value> own;
      for (const auto key : cut.leaves()) own.push_back({key, {1, 2, static_cast<char>(round)}});
      for (int again = 0; again < 3; ++again) {
        const auto values = layer.template exchange<Value>(world(), own);
        ASSERT_EQ(values.size(), layer.leaves.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
          ASSERT_EQ(values[i].key, layer.leaves[i]);
          ASSERT_EQ(values[i].pad[2], round);
        }
      }
    }
  }
}

// The meaning of a code of the view, by key: outside, a leaf, or refined with its children.
template <int D>
void expect_same(const LocalView<D>& view, const DistributedTree<D>& cut, const Spacetree<D>& tree,
                 const Neighbours<D>& whole, std::int32_t leaf, std::int32_t leaf_in_tree) {
  const auto is_own_in_tree = [&](std::int32_t i) {
    return cut.owner(tree.leaves()[static_cast<std::size_t>(i)]) == world().rank();
  };
  const auto& own = view.neighbours();
  const auto cell_in_view = [&](std::int32_t i) { return own.cells()[static_cast<std::size_t>(i)]; };
  const auto cell_in_tree = [&](std::int32_t i) {
    return cell_of(tree.leaves()[static_cast<std::size_t>(i)]);
  };
  for (int direction = 0; direction < children<D>; ++direction) {
    const auto a = own.of(leaf, direction), b = whole.of(leaf_in_tree, direction);
    if (view.is_own(leaf)) {
      ASSERT_EQ(a.is_outside(), b.is_outside());
      ASSERT_EQ(a.is_leaf(), b.is_leaf());
      if (a.is_leaf()) {
        ASSERT_EQ(cell_in_view(a.leaf()), cell_in_tree(b.leaf()));
        ASSERT_GE(view.rank(a.leaf()), 0);
      }
    } else {
      // A ghost has an own leaf as neighbour exactly where the whole tree has it.
      ASSERT_EQ(a.is_leaf() && view.is_own(a.leaf()), b.is_leaf() && is_own_in_tree(b.leaf()));
      if (a.is_leaf() && view.is_own(a.leaf())) {
        ASSERT_EQ(cell_in_view(a.leaf()), cell_in_tree(b.leaf()));
      }
    }
    if (!b.is_refined()) continue;
    const auto offset = offset_of<D>(direction);
    const auto below = whole.refined_children(b.refined_cell());
    for (int position = 0; position < children<D>; ++position) {
      bool near = true;
      for (int x = 0, rest = position; x < D; ++x, rest /= 3)
        near = near && (offset[x] == 0 || rest % 3 == (offset[x] > 0 ? 0 : 2));
      if (!near) continue;
      const auto child = below[static_cast<std::size_t>(position)];
      ASSERT_GE(child, 0);
      if (!view.is_own(leaf) && !is_own_in_tree(child)) continue;
      ASSERT_TRUE(a.is_refined());
      const auto seen = own.refined_children(a.refined_cell())[static_cast<std::size_t>(position)];
      ASSERT_GE(seen, 0);
      ASSERT_EQ(cell_in_view(seen), cell_in_tree(child));
      ASSERT_EQ(view.is_own(seen), is_own_in_tree(child));
      ASSERT_GE(view.rank(seen), 0);
    }
  }
}

TYPED_TEST(GhostsQuick, NeighboursInAViewEqualThoseOfTheWholeTree) {
  constexpr int D = TypeParam::value;
  Random random(3);
  for (const auto& domain : domains<D>()) {
    for (int depth = 0; depth <= 4; ++depth) {
      const auto tree =
          random_tree(domain, domain.base_level + depth, D == 2 ? 0.15 : 0.04, random).balanced();
      const Neighbours<D> whole(tree);
      const auto leaves = tree.leaves();
      const auto index_of = [&](const Cell<D>& cell) {
        const auto at = std::lower_bound(leaves.begin(), leaves.end(), key_of(cell));
        return static_cast<std::int32_t>(at - leaves.begin());
      };
      for (int round = 0; round < 4; ++round) {
        const auto cut = distributed_at_random(tree, round, random);
        const LocalView<D> view(cut);
        ASSERT_EQ(view.own(), cut.size());
        const auto cells = view.neighbours().cells();
        std::vector<std::int32_t> along(view.size(), -1);
        for (std::int32_t i = 0; i < static_cast<std::int32_t>(view.size()); ++i) along[view.position(i)] = i;
        for (std::size_t p = 1; p < along.size(); ++p) {
          ASSERT_GE(along[p], 0);
          ASSERT_LT(key_of(cells[static_cast<std::size_t>(along[p - 1])]),
                    key_of(cells[static_cast<std::size_t>(along[p])]));
        }
        for (std::size_t i = 0; i < view.own(); ++i) {
          const auto leaf = static_cast<std::int32_t>(i);
          ASSERT_EQ(cells[i], cell_of(cut.leaves()[i]));
          ASSERT_EQ(view.rank(leaf), world().rank());
          expect_same(view, cut, tree, whole, leaf, static_cast<std::int32_t>(cut.number(i)));
        }
        std::size_t in_between = view.size() - view.own();
        for (const auto& neighbour : view.ghosts().neighbours) {
          for (std::size_t g = neighbour.begin; g < neighbour.end; ++g, --in_between) {
            const auto leaf = view.ghost(g);
            ASSERT_FALSE(view.is_own(leaf));
            ASSERT_EQ(cells[static_cast<std::size_t>(leaf)], cell_of(view.ghosts().leaves[g]));
            ASSERT_EQ(view.rank(leaf), neighbour.rank);
            expect_same(view, cut, tree, whole, leaf, index_of(cells[static_cast<std::size_t>(leaf)]));
          }
        }
        for (std::size_t i = view.own(); i < view.size(); ++i)
          in_between -= view.rank(static_cast<std::int32_t>(i)) < 0;
        ASSERT_EQ(in_between, 0u);
      }
    }
  }
}

}  // namespace
}  // namespace meander::mesh
