// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Randomly partitioned trees for tests on several ranks. All ranks draw identical random numbers, and thus
// know the whole tree.

#include <algorithm>
#include <vector>

#include "mesh/distributed_tree.hpp"
#include "mesh/refine.hpp"
#include "tests/mesh/random_trees.hpp"

namespace meander::mesh::test {

inline const parallel::Communicator& world() {
  static const parallel::Communicator communicator = parallel::Communicator::world();
  return communicator;
}

// A random table of first leaves: uneven, with empty ranks, occasionally all leaves on one rank or one a
// rank.
inline std::vector<std::int64_t> random_cuts(std::size_t leaves, Random& random) {
  const auto n = static_cast<std::int64_t>(leaves);
  std::vector<std::int64_t> cuts{0};
  const auto kind = random() % 8;
  for (int r = 1; r < world().size(); ++r) {
    if (kind == 0)
      cuts.push_back(std::min<std::int64_t>(r, n));
    else if (kind == 1)
      cuts.push_back(n);
    else if (kind == 2)
      cuts.push_back(n * r / world().size());
    else if (chance(random, 0.2))
      cuts.push_back(cuts[random() % cuts.size()]);
    else
      cuts.push_back(static_cast<std::int64_t>(random() % (leaves + 1)));
  }
  cuts.push_back(n);
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

template <int D>
DistributedTree<D> distributed(const Spacetree<D>& tree, const std::vector<std::int64_t>& cuts) {
  const auto r = static_cast<std::size_t>(world().rank());
  const auto leaves = tree.leaves();
  return {tree.domain(), {leaves.begin() + cuts[r], leaves.begin() + cuts[r + 1]}, world()};
}

// The leaves of each level cut at random.
template <int D>
LevelCuts<D> random_level_cuts(const Spacetree<D>& tree, Random& random) {
  std::vector<std::vector<Key<D>>> by_level;
  int coarsest = Key<D>::max_level;
  for (const Key<D> leaf : tree.leaves()) coarsest = std::min(coarsest, leaf.level());
  for (const Key<D> leaf : tree.leaves()) {
    const auto level = static_cast<std::size_t>(leaf.level() - coarsest);
    by_level.resize(std::max(by_level.size(), level + 1));
    by_level[level].push_back(leaf);
  }
  std::vector<Partition<D>> levels;
  for (const auto& leaves : by_level) {
    auto cuts = random_cuts(leaves.size(), random);
    const auto first = [&](std::size_t rank) { return leaves[static_cast<std::size_t>(cuts[rank])]; };
    levels.push_back(Partition<D>::with(std::vector(cuts), first));
  }
  return {coarsest, std::move(levels)};
}

// By one cut of the curve in even rounds, by one of each level in odd ones.
template <int D>
DistributedTree<D> distributed_at_random(const Spacetree<D>& tree, int round, Random& random) {
  const auto curve = distributed(tree, random_cuts(tree.size(), random));
  return round % 2 == 0 ? curve : curve.placed(random_level_cuts(tree, random));
}

template <int D>
std::vector<Key<D>> gathered(const DistributedTree<D>& tree) {
  return world().all_gather(tree.leaves());
}

template <int D>
std::vector<Key<D>> copy_of(std::span<const Key<D>> leaves) {
  return {leaves.begin(), leaves.end()};
}

}  // namespace meander::mesh::test
