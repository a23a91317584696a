// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Replayed ranks exchange what ranks would exchange; costs of uniform trees are those of geometry, and only the
// table of pieces depends on the number of ranks.

#include <gtest/gtest.h>

#include <set>

#include "tests/mesh/inert_solver.hpp"
#include "tests/mesh/random_trees.hpp"
#include "tests/mesh/rank_counts.hpp"

namespace meander::mesh::test {
namespace {

using parallel::Communicator;
using parallel::Parcel;

// Each rank sends its number to the next ranks, then the sum of what it has received to the rank before.
TEST(ReplayedRanks, ReceiveWhatOthersSendInEveryExchange) {
  const int n = 1000;
  std::vector<int> ends(n, 0);
  parallel::replay_ranks(n, [&](const Communicator& communicator) {
    const int r = communicator.rank();
    ASSERT_EQ(communicator.size(), n);
    const std::vector<Parcel<int>> out{{(r + 1) % n, {r}}, {(r + 7) % n, {r, r}}};
    int sum = 0;
    const auto in = parallel::exchange_sparsely(communicator, out);
    ASSERT_EQ(in.size(), 2u);
    ASSERT_LT(in[0].rank, in[1].rank);
    for (const auto& parcel : in) {
      for (const int item : parcel.items) sum += item;
    }
    ASSERT_EQ(sum, (r + n - 1) % n + 2 * ((r + n - 7) % n));
    const std::vector<Parcel<int>> back{{(r + n - 1) % n, {sum}}};
    const auto last = parallel::exchange_sparsely(communicator, back);
    ASSERT_EQ(last.size(), 1u);
    ASSERT_EQ(last[0].items[0], r + 2 * ((r + n - 6) % n));
    ++ends[static_cast<std::size_t>(r)];
  });
  EXPECT_EQ(ends, std::vector<int>(n, 1));
}

TEST(ReplayedRanks, RefuseOtherCollectiveCallsAndUnequalNumbersOfExchanges) {
  EXPECT_THROW(parallel::replay_ranks(2, [](const Communicator& c) { c.sum(std::int64_t{1}); }), Failure);
  EXPECT_THROW(parallel::replay_ranks(2,
                                      [](const Communicator& c) {
                                        if (c.rank() == 0)
                                          parallel::exchange_sparsely(c, std::vector<Parcel<int>>{});
                                      }),
               Failure);
}

// One leaf a rank in a periodic box: each rank sends one message to every rank around it whose halo it fills.
template <int D>
void check_single_leaves(solvers::HaloShape shape, int h, int partners, std::int64_t volumes, int p) {
  const InertSolver solver(D, h, shape, solvers::Prolongation::constant);
  Index<D> cells;
  cells.fill(4);
  Vec<bool, D> periodic;
  periodic.fill(true);
  const auto tree = Spacetree<D>::uniform(box<D>(2, cells, periodic), 2);
  std::vector<std::int64_t> cuts;
  for (std::size_t r = 0; r <= tree.size(); ++r) cuts.push_back(static_cast<std::int64_t>(r));
  for (const RankCosts& rank : replayed_costs(tree.domain(), tree.leaves(), cuts, solver.traits(), p)) {
    ASSERT_EQ(rank.leaves, 1);
    ASSERT_EQ(rank.border_leaves, 1);
    ASSERT_EQ(rank.ghosts, children<D> - 1);
    ASSERT_EQ(rank.neighbours, partners);
    ASSERT_EQ(rank.halo_messages, partners);
    ASSERT_EQ(rank.halo_bytes, volumes * solver.traits().unknowns * 8);
    ASSERT_EQ(rank.flux_messages, 0);
    ASSERT_EQ(rank.ghost_patches, 0);
    ASSERT_EQ(rank.table_bytes, 16 * static_cast<std::int64_t>(tree.size()) + 8);
  }
}

TEST(RankCosts, OfSingleLeavesAreThoseOfTheirFacesAndEdges) {
  const int p = 6;
  check_single_leaves<2>(solvers::HaloShape::faces, 1, 4, 4 * p, p);
  check_single_leaves<2>(solvers::HaloShape::edges, 2, 8, 4 * 2 * p + 4, p);
  check_single_leaves<3>(solvers::HaloShape::faces, 1, 6, 6 * p * p, p);
  check_single_leaves<3>(solvers::HaloShape::edges, 2, 18, 6 * 2 * p * p + 12 * p, p);
  check_single_leaves<3>(solvers::HaloShape::full, 2, 26, 6 * 2 * p * p + 12 * 4 * p + 8 * 8, p);
}

// Pieces that do not touch the first rank are cut further.
template <int D>
void check_growth() {
  Random random(3);
  const InertSolver solver(D, 2, solvers::HaloShape::edges, solvers::Prolongation::limited_linear);
  const auto tree = random_tree_of(cube<D>(true), D == 2 ? 2000 : 4000, 6, random).balanced();
  const auto leaves = tree.leaves();
  const int few = 40, parts = 10;
  const auto cuts = cut_by_weight(few, std::vector<std::int64_t>(leaves.size(), 1));
  std::set<int> near;
  const auto partition = Partition<D>::with(
      cuts, [&](std::size_t rank) { return leaves[static_cast<std::size_t>(cuts[rank])]; });
  parallel::replay_ranks(few, [&](const Communicator& communicator) {
    const auto r = static_cast<std::size_t>(communicator.rank());
    const DistributedTree<D> piece(tree.domain(), {leaves.begin() + cuts[r], leaves.begin() + cuts[r + 1]},
                                   partition, communicator);
    const auto layer = GhostLayer<D>::of(piece);
    if (r > 0) return;
    for (const auto& neighbour : layer.neighbours) near.insert(neighbour.rank);
  });
  ASSERT_LT(near.size(), static_cast<std::size_t>(few) - 5);
  std::vector<std::int64_t> many{0};
  for (int r = 0; r < few; ++r) {
    const std::int64_t begin = cuts[static_cast<std::size_t>(r)], end = cuts[static_cast<std::size_t>(r) + 1];
    for (int part = 1; part < parts && r > 0 && !near.contains(r); ++part)
      many.push_back(begin + (end - begin) * part / parts);
    many.push_back(end);
  }
  const auto of_few = replayed_costs(tree.domain(), leaves, cuts, solver.traits(), 6)[0];
  const auto of_many = replayed_costs(tree.domain(), leaves, many, solver.traits(), 6)[0];
  EXPECT_GT(of_few.messages(), 0);
  EXPECT_EQ(counts_of(of_few), counts_of(of_many));
  EXPECT_EQ(of_few.table_bytes, 16 * few + 8);
  EXPECT_EQ(of_many.table_bytes, 16 * (static_cast<std::int64_t>(many.size()) - 1) + 8);
}

TEST(RankCosts, GrowWithTheNumberOfRanksByTheTableOnly) {
  check_growth<2>();
  check_growth<3>();
}

}  // namespace
}  // namespace meander::mesh::test
