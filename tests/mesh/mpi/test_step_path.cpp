// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Cuts of the curve by the critical path of local time steps.

#include "mesh/step_path.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "mesh/partition.hpp"
#include "tests/mesh/inert_solver.hpp"
#include "tests/mesh/mpi/distributed_trees.hpp"

namespace meander::mesh {
namespace {

using namespace test;
using Levels = std::vector<int>;

// Levels of the leaves along the curve of nests in 3D: of the 27 children of a cell one is refined, `child`.
void add_nest(Levels& leaves, int level, int finest, int child) {
  for (int i = 0; i < 27; ++i) {
    if (i == child && level < finest)
      add_nest(leaves, level + 1, finest, child);
    else
      leaves.push_back(level);
  }
}

// Two nests beside each other. Half of the finest leaves are in the first third of the curve.
Levels two_nests() {
  Levels leaves;
  add_nest(leaves, 1, 4, 13);
  add_nest(leaves, 1, 3, 20);
  return leaves;
}

LevelSteps steps(bool has_enclaves = false) {
  return {1, {1, 3, 9, 27}, has_enclaves};
}

std::span<const int> piece(const Levels& leaves, std::span<const std::int64_t> cut, int rank) {
  const auto r = static_cast<std::size_t>(rank);
  return std::span(leaves).subspan(static_cast<std::size_t>(cut[r]),
                                   static_cast<std::size_t>(cut[r + 1] - cut[r]));
}

// The critical path of a cut for one thread a rank, of a tick after the other.
std::int64_t path_by_ticks(const Levels& leaves, std::span<const std::int64_t> cut) {
  std::int64_t path = 0;
  for (int tick = 0; tick < 27; ++tick) {
    const int coarsest = tick % 27 == 0 ? 1 : tick % 9 == 0 ? 2 : tick % 3 == 0 ? 3 : 4;
    std::int64_t most = 0;
    for (int rank = 0; rank + 1 < static_cast<int>(cut.size()); ++rank) {
      most = std::max<std::int64_t>(most, std::ranges::count_if(piece(leaves, cut, rank), [&](int level) {
                                      return level >= coarsest;
                                    }));
    }
    path += most;
  }
  return path;
}

std::vector<std::int64_t> cut_of(const Levels& leaves, const LevelSteps& levels,
                                 const std::vector<std::int64_t>& now, double tolerance) {
  return cut_by_path(world(), levels, piece(leaves, now, world().rank()), now, 1, tolerance);
}

std::vector<std::int64_t> cut_by_sums(const Levels& leaves) {
  std::vector<std::int64_t> weights;
  for (const int level : leaves) weights.push_back(steps().steps[steps().index(level)]);
  return cut_by_weight(world().size(), weights);
}

TEST(StepPath, IsTheSumOverTicks) {
  Random random(1);
  for (int round = 0; round < 5; ++round) {
    const Levels leaves = two_nests();
    const auto cut = random_cuts(leaves.size(), random);
    EXPECT_EQ(critical_path(steps(), steps().count(piece(leaves, cut, world().rank())), 1, world()),
              path_by_ticks(leaves, cut));
  }
}

// The number of ranks decides whether the cut by sums is bad: it is on 2 and 3.
TEST(CutByPath, IsShorterThanTheCutBySums) {
  Random random(2);
  const Levels leaves = two_nests();
  const std::int64_t by_sums = path_by_ticks(leaves, cut_by_sums(leaves));
  std::int64_t shortest = 0;
  for (int round = 0; round < 3; ++round) {
    const auto cut = cut_of(leaves, steps(), random_cuts(leaves.size(), random), 1);
    EXPECT_EQ(world().max(cut[1]), cut[1]) << "ranks differ";
    const std::int64_t path = path_by_ticks(leaves, cut);
    if (round == 0) shortest = path;
    EXPECT_EQ(path, shortest) << "it depends on the present cut";
    EXPECT_LE(path, by_sums);
  }
  if (world().is_root()) {
    std::printf("%d ranks: critical path %ld, of the cut by sums %ld\n", world().size(),
                static_cast<long>(shortest), static_cast<long>(by_sums));
  }
  const int ranks = world().size();
  EXPECT_LE(100 * shortest, (ranks == 2 ? 95 : ranks == 3 ? 90 : 100) * by_sums);
}

TEST(CutByPath, KeepsWhatIsTolerable) {
  const Levels leaves = two_nests();
  auto now = cut_of(leaves, steps(), cut_by_sums(leaves), 1);
  const std::int64_t best = path_by_ticks(leaves, now);
  EXPECT_EQ(cut_of(leaves, steps(), now, 1), now);
  if (world().size() == 1) return;
  // Moves the first border as far as the path permits.
  while (now[1] > 0 && 5 * path_by_ticks(leaves, now) <= 6 * best) --now[1];
  EXPECT_NE(cut_of(leaves, steps(), now, 1.1), now);
  EXPECT_EQ(cut_of(leaves, steps(), now, 10), now);
}

// Where enclaves fill waits, sums decide.
TEST(CutByPath, WithEnclavesIsThatBySums) {
  const Levels leaves = two_nests();
  const std::vector<std::int64_t> all_on_one(static_cast<std::size_t>(world().size()), 0);
  std::vector<std::int64_t> now = all_on_one;
  now.push_back(static_cast<std::int64_t>(leaves.size()));
  const auto cut = cut_of(leaves, steps(true), now, 1.1);
  if (world().size() == 1) return;
  std::int64_t most = 0, total = 0;
  for (int rank = 0; rank < world().size(); ++rank) {
    std::int64_t load = 0;
    for (const int level : piece(leaves, cut, rank)) load += steps().steps[steps().index(level)];
    most = std::max(most, load);
    total += load;
  }
  EXPECT_LE(static_cast<double>(most) * world().size(), 1.1 * static_cast<double>(total));
}

// A mesh: equal steps are cut as without steps; local steps by the path.
TEST(MeshOfLevels, IsCutByTheStepsOfItsLevels) {
  const InertSolver solver(2, 1, solvers::HaloShape::faces, solvers::Prolongation::constant);
  ThreadTeam team(1);
  const auto partition_with = [&](const LevelSteps& levels, Cuts cuts = Cuts::automatic) {
    Boundaries<2> boundaries;
    boundaries.fill(&boundary::outflow);
    Domain<2> domain;
    domain.base_cells.fill(1);
    PatchMesh<2> mesh(DistributedTree<2>::uniform(domain, 2, world()), solver, 3, boundaries, nullptr,
                      gpu::host_memory(), PartitionPolicy{1.1, false, cuts});
    if (!levels.steps.empty()) mesh.set_level_steps(levels);
    for (int level = 2; level < 4; ++level) {
      std::vector<Adapt> flags(mesh.size(), Adapt::keep);
      for (std::size_t leaf = 0; leaf < mesh.size(); ++leaf) {
        const auto& patch = mesh.patches()[leaf];
        if (patch.lower[0] < 0.25 && patch.lower[1] < 0.25) flags[leaf] = Adapt::refine;
      }
      EXPECT_TRUE(mesh.adapt(flags, 2, 4, 0, team));
    }
    const LevelSteps of_path{2, {1, 3, 9}, false};
    const std::int64_t path = critical_path(of_path, of_path.count(mesh.levels()), 1, world());
    return std::pair(Distribution<2>::of(mesh.tree()), path);
  };
  const auto without = partition_with({}), equal = partition_with({2, {1, 1, 1}, false}),
             local = partition_with({2, {1, 3, 9}, false}),
             one = partition_with({2, {1, 3, 9}, false}, Cuts::one),
             each = partition_with({2, {1, 3, 9}, false}, Cuts::levels);
  EXPECT_EQ(equal.first, without.first);
  EXPECT_FALSE(equal.first.levels);
  EXPECT_LE(local.second, equal.second);
  EXPECT_FALSE(one.first.levels);
  EXPECT_LE(one.second, equal.second);
  EXPECT_LE(each.second, one.second);
  EXPECT_EQ(each.first.levels.has_value(), world().size() > 1);
  EXPECT_EQ(local.first == equal.first, world().size() == 1);
}

// Nests of levels 2 to 5 about a point.
Spacetree<2> nest_about(const Point<2>& centre, double radius) {
  auto tree = Spacetree<2>::uniform(cube<2>(), 2);
  for (int level = 2; level < 5; ++level, radius /= 3) {
    std::vector<Adapt> flags;
    for (const Key<2> leaf : tree.leaves()) {
      const Point<2> lower = tree.domain().lower_corner(cell_of(leaf));
      const double half = 0.5 * tree.domain().width(leaf.level());
      flags.push_back(std::hypot(lower[0] + half - centre[0], lower[1] + half - centre[1]) < radius
                          ? Adapt::refine
                          : Adapt::keep);
    }
    tree = tree.adapted(flags, 2, 5);
  }
  return tree;
}

// Ranks may have different numbers of threads. They agree nevertheless; a rank that decides for itself waits for ever.
TEST(Distribution, IsOneWhateverTheThreadsOfRanks) {
  Random random(7);
  const int threads = 4 + 4 * world().rank();
  const LevelSteps levels{2, {1, 3, 9, 27}, false};
  int by_levels = 0, by_one = 0;
  for (int round = 0; round < 60; ++round) {
    const auto tree =
        nest_about({uniform_in(random, 0, 1), uniform_in(random, 0, 1)}, uniform_in(random, 0.1, 0.5));
    const auto cut = distributed(tree, random_cuts(tree.size(), random));
    const auto found =
        distribute_by_path(cut, Distribution<2>::of(cut), levels, Cuts::automatic, threads, 1.0);
    const double kind = found.levels ? 1 : 0;
    ASSERT_EQ(world().max(kind), -world().max(-kind));
    ++(found.levels ? by_levels : by_one);
  }
  if (world().size() != 3) return;
  EXPECT_GT(by_levels, 0) << "on 3 ranks some trees have one kind of cut and some the other";
  EXPECT_GT(by_one, 0);
}

// The cuts of each level are even, the same from any piece of the curve, and known to all.
TEST(LevelCuts, AreEven) {
  Random random(5);
  for (int round = 0; round < 10; ++round) {
    const auto tree = random_tree_of(cube<3>(), 2000, 6, random).balanced();
    int coarsest = 6;
    for (const Key<3> leaf : tree.leaves()) coarsest = std::min(coarsest, leaf.level());
    const auto cut = distributed(tree, random_cuts(tree.size(), random));
    const auto cuts = LevelCuts<3>::even(world(), cut.leaves(), coarsest, 3);
    EXPECT_EQ(cuts, LevelCuts<3>::even(world().size(), tree.leaves(), coarsest, 3));
    std::vector<std::vector<std::int64_t>> leaves(
        3, std::vector<std::int64_t>(static_cast<std::size_t>(world().size()), 0));
    std::vector<int> last(3, 0);
    for (const Key<3> leaf : tree.leaves()) {
      const auto level = static_cast<std::size_t>(std::min(leaf.level() - coarsest, 2));
      const int owner = cuts.owner(leaf);
      ++leaves[level][static_cast<std::size_t>(owner)];
      EXPECT_GE(owner, last[level]);
      last[level] = owner;
    }
    for (const auto& of_ranks : leaves) EXPECT_LE(std::ranges::max(of_ranks) - std::ranges::min(of_ranks), 1);
    const auto placed = cut.placed(cuts);
    for (const Key<3> leaf : placed.leaves()) EXPECT_EQ(cuts.owner(leaf), world().rank());
    EXPECT_EQ(world().sum(static_cast<std::int64_t>(placed.size())), placed.global_size());
  }
}

}  // namespace
}  // namespace meander::mesh
