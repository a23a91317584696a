// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The costs that are counted for replayed ranks are those of the same ranks in a run: random trees, random
// partitions with empty ranks, by one cut and by one of each level, means and point values.

#include <gtest/gtest.h>

#include "gpu/host_device.hpp"
#include "tests/mesh/inert_solver.hpp"
#include "tests/mesh/mpi/distributed_trees.hpp"
#include "tests/mesh/rank_counts.hpp"

namespace meander::mesh::test {
namespace {

template <int D>
void check(int h, solvers::HaloShape shape, solvers::Prolongation prolongation, int rounds) {
  const int p = 3 * h;
  Random random(11);
  const InertSolver solver(D, h, shape, prolongation);
  for (const auto& domain : domains<D>()) {
    for (int round = 0; round < rounds; ++round) {
      const auto tree = random_tree(domain, domain.base_level + 3, D == 2 ? 0.15 : 0.04, random).balanced();
      const auto cuts = random_cuts(tree.size(), random);
      const auto levels = random_level_cuts(tree, random);
      const bool by_levels = round % 2 == 1;
      const auto all =
          replayed_costs(domain, tree.leaves(), cuts, solver.traits(), p, by_levels ? &levels : nullptr);
      const RankCosts& replayed = all[static_cast<std::size_t>(world().rank())];

      const auto curve = distributed(tree, cuts), cut = by_levels ? curve.placed(levels) : curve;
      EXPECT_EQ(counts_of(rank_costs(cut, solver.traits(), p)), counts_of(replayed));
      Boundaries<D> boundaries;
      boundaries.fill(&boundary::outflow);
      PatchMesh<D> mesh(cut, solver, p, boundaries, {}, gpu::host_memory());
      EXPECT_EQ(static_cast<std::int64_t>(mesh.size()), replayed.leaves);
      EXPECT_EQ(static_cast<std::int64_t>(mesh.exchange().border()), replayed.border_leaves);
      EXPECT_EQ(static_cast<std::int64_t>(mesh.exchange().halos().messages().sent_messages()),
                replayed.halo_messages);
      EXPECT_EQ(static_cast<std::int64_t>(mesh.exchange().halos().messages().sent_bytes()),
                replayed.halo_bytes);
      EXPECT_EQ(static_cast<std::int64_t>(mesh.exchange().fluxes().messages().sent_messages()),
                replayed.flux_messages);
      EXPECT_EQ(static_cast<std::int64_t>(mesh.exchange().fluxes().messages().sent_bytes()),
                replayed.flux_bytes);
      std::int64_t bytes = 0;
      for (const RankCosts& rank : all) bytes += rank.bytes();
      EXPECT_EQ(bytes, mesh.partition_facts().halo_bytes);
    }
  }
}

template <int D>
void check_all() {
  using solvers::HaloShape;
  using solvers::Prolongation;
  check<D>(1, HaloShape::faces, Prolongation::constant, 2);
  check<D>(2, HaloShape::edges, Prolongation::limited_linear, 2);
  check<D>(2, HaloShape::full, Prolongation::centred, 2);
}

TEST(ReplayedCosts, EqualThoseOfARunIn2D) {
  check_all<2>();
}

TEST(ReplayedCosts, EqualThoseOfARunIn3D) {
  check_all<3>();
}

TEST(CutByWeight, IsTheSameForRanksThatAreNotRunning) {
  Random random(12);
  for (int round = 0; round < 40; ++round) {
    std::vector<std::int64_t> weights(random() % 200);
    for (auto& weight : weights) weight = round % 4 == 0 ? 0 : static_cast<std::int64_t>(random() % 50);
    const auto cuts = random_cuts(weights.size(), random);
    const auto r = static_cast<std::size_t>(world().rank());
    const auto own = std::span<const std::int64_t>(weights).subspan(
        static_cast<std::size_t>(cuts[r]), static_cast<std::size_t>(cuts[r + 1] - cuts[r]));
    EXPECT_EQ(cut_by_weight(world(), own), cut_by_weight(world().size(), weights));
  }
}

}  // namespace
}  // namespace meander::mesh::test
