// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// A patch mesh on all ranks is bitwise identical to one on a single rank: leaves, interiors and halos after
// rounds of adaptation and migration, and the flux correction.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>

#include "mesh/patch_mesh.hpp"
#include "tests/mesh/inert_solver.hpp"
#include "tests/solvers/patches.hpp"

namespace meander::mesh {
namespace {

const parallel::Communicator& world() {
  static const parallel::Communicator communicator = parallel::Communicator::world();
  return communicator;
}

std::uint64_t scrambled(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// A pseudo-random number in [0, 1), determined by the arguments.
double noise(std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0) {
  return static_cast<double>(scrambled(scrambled(scrambled(a + 1) + b) + c) >> 11) * 0x1p-53;
}

struct Case {
  int p, h;
  solvers::HaloShape shape;
  solvers::Prolongation prolongation;
  bool periodic, measured;
  bool by_levels = false;  // a cut for each level
};

template <int D>
Domain<D> box(bool periodic) {
  Domain<D> domain;
  domain.base_level = 1;
  domain.base_cells.fill(2);
  domain.base_cells[0] = 3;
  domain.periodic.fill(periodic);
  return domain;
}

template <int D>
class Pair {
 public:
  Pair(const Case& c, int level)
      : case_(c),
        solver_(D, c.h, c.shape, c.prolongation),
        alone_(make(parallel::Communicator{}, level)),
        together_(make(world(), level)) {}

  PatchMesh<D>& alone() { return *alone_; }
  PatchMesh<D>& together() { return *together_; }

  void fill() {
    for (auto* mesh : {alone_.get(), together_.get()}) {
      fill_interior(*mesh, [](int u, const Point<D>& x) {
        double value = u;
        for (int a = 0; a < D; ++a) value += (a + 1) * std::sin(9 * x[a] + u);
        return value + noise(std::bit_cast<std::uint64_t>(value));
      });
    }
  }

  // Flags that depend on the leaf only, so that families may lie on several ranks.
  bool adapt(std::uint64_t round, int max_level) {
    const bool changed = adapt(*alone_, round, max_level);
    EXPECT_EQ(adapt(*together_, round, max_level), changed);
    return changed;
  }

  // Compares the whole halos of leaves that are chosen by their keys.
  void expect_same_whole_halos(std::uint64_t round) {
    const auto chosen = [&](const PatchMesh<D>& mesh, std::size_t leaf) {
      return noise(mesh.tree().leaves()[leaf].bits, round, 7) < 0.3;
    };
    ThreadTeam team(2);
    for (auto* mesh : {alone_.get(), together_.get()}) {
      std::vector<char> marked(mesh->size());
      for (std::size_t leaf = 0; leaf < mesh->size(); ++leaf) marked[leaf] = chosen(*mesh, leaf) ? 1 : 0;
      // The result may depend on interiors only.
      for (const auto& patch : mesh->patches()) {
        for_volumes<D>(mesh->layout(), patch, case_.h, [&](const Index<D>& i, const Point<D>&) {
          if (outside(i) == 0) return;
          for (int u = 0; u < mesh->layout().unknowns; ++u)
            patch.q[mesh->layout().at(u, i)] = std::numeric_limits<double>::quiet_NaN();
        });
      }
      mesh->fill_whole_halos(marked, 0, team);
      mesh->fill_whole_halos(marked, 0, team);  // with the kept plan
    }
    std::size_t wrong = 0;
    for (std::size_t leaf = 0; leaf < together_->size(); ++leaf) {
      if (!chosen(*together_, leaf)) continue;
      const auto& mine = together_->patches()[leaf];
      const auto& other = alone_->patches()[static_cast<std::size_t>(together_->numbers()[leaf])];
      for_volumes<D>(alone_->layout(), mine, case_.h, [&](const Index<D>& i, const Point<D>&) {
        for (int u = 0; u < alone_->layout().unknowns; ++u) {
          const double value = mine.q[alone_->layout().at(u, i)];
          wrong += std::isnan(value) || std::bit_cast<std::uint64_t>(value) !=
                                            std::bit_cast<std::uint64_t>(other.q[alone_->layout().at(u, i)]);
        }
      });
    }
    EXPECT_EQ(wrong, 0u);
  }

  // Compares this rank's leaves, interiors, and `layers` of halos with those of the single-rank mesh.
  void expect_same(int layers) {
    const auto all = alone_->tree().leaves();
    const auto own = together_->tree().leaves();
    ASSERT_EQ(together_->tree().global_size(), static_cast<std::int64_t>(all.size()));
    for (std::size_t leaf = 0; leaf < own.size(); ++leaf)
      ASSERT_EQ(own[leaf], all[static_cast<std::size_t>(together_->numbers()[leaf])]);
    const auto& layout = alone_->layout();
    std::size_t wrong = 0;
    for (std::size_t leaf = 0; leaf < own.size(); ++leaf) {
      const auto& mine = together_->patches()[leaf];
      const auto& other = alone_->patches()[static_cast<std::size_t>(together_->numbers()[leaf])];
      for_volumes<D>(layout, mine, layers, [&](const Index<D>& i, const Point<D>&) {
        if (!solvers::test::is_read(layout, case_.shape, i)) return;
        for (int u = 0; u < layout.unknowns; ++u) {
          const auto at = layout.at(u, i);
          wrong += std::bit_cast<std::uint64_t>(mine.q[at]) != std::bit_cast<std::uint64_t>(other.q[at]);
        }
      });
    }
    EXPECT_EQ(wrong, 0u);
  }

 private:
  std::unique_ptr<PatchMesh<D>> make(const parallel::Communicator& communicator, int level) const {
    Boundaries<D> boundaries;
    boundaries.fill(case_.periodic ? &mesh::boundary::periodic : &mesh::boundary::reflecting);
    auto mesh = std::make_unique<PatchMesh<D>>(
        DistributedTree<D>::uniform(box<D>(case_.periodic), level, communicator), solver_, case_.p,
        boundaries, GivenBoundary{}, gpu::host_memory(),
        PartitionPolicy{1.05, case_.measured, case_.by_levels ? Cuts::levels : Cuts::automatic});
    if (case_.by_levels) mesh->set_level_steps({1, {1, 3, 9, 27}, false});
    return mesh;
  }

  bool adapt(PatchMesh<D>& mesh, std::uint64_t round, int max_level) {
    std::vector<Adapt> flags(mesh.size());
    for (std::size_t leaf = 0; leaf < mesh.size(); ++leaf) {
      const Key<D> key = mesh.tree().leaves()[leaf];
      const double family = noise(key.parent().bits, round), own = noise(key.bits, round, 1);
      flags[leaf] = own < (D == 3 ? 0.015 : 0.08) ? Adapt::refine
                    : family < 0.5                ? Adapt::coarsen
                                                  : Adapt::keep;
      if (mesh.measures_cost()) mesh.add_cost(leaf, noise(key.bits, round, 2));
    }
    ThreadTeam team(2);
    mesh.fill_halos(0, team);
    return mesh.adapt(flags, 1, max_level, 0, team);
  }

  int outside(const Index<D>& i) const {
    return static_cast<int>(std::ranges::count_if(i, [&](int n) { return n < 0 || n >= case_.p; }));
  }

  Case case_;
  InertSolver solver_;
  std::unique_ptr<PatchMesh<D>> alone_, together_;
};

class PatchMeshOverRanks : public testing::TestWithParam<Case> {};

template <int D>
void expect_same_after_rounds(const Case& c) {
  Pair<D> pair(c, 2);
  pair.fill();
  ThreadTeam team(2);
  std::int64_t finest = 0;
  // Each round takes seconds with wide halos in 3D.
  const bool is_large = D == 3 && c.h == 3;
  const int finest_allowed = is_large ? 3 : 4;
  for (std::uint64_t round = 0; round < (is_large ? 3 : 6); ++round) {
    pair.adapt(round, finest_allowed);
    pair.expect_same(0);
    pair.alone().fill_halos(0, team);
    pair.together().fill_halos(0, team);
    pair.expect_same(c.h);
    if (c.prolongation == solvers::Prolongation::centred) pair.expect_same_whole_halos(round);
    for (const int level : pair.alone().levels()) finest = std::max<std::int64_t>(finest, level);
  }
  EXPECT_EQ(finest, finest_allowed) << "the mesh is not adaptive enough";
  const auto& facts = pair.together().partition_facts();
  if (world().size() > 1) {
    EXPECT_GT(facts.migrated, 0);
    EXPECT_GT(facts.remote_faces, 0);
  }
  EXPECT_EQ(pair.together().tree().is_placed(), c.by_levels && world().size() > 1);
  if (!c.measured && !c.by_levels) {
    EXPECT_LE(static_cast<double>(facts.most_leaves) * world().size(),
              1.05 * static_cast<double>(pair.together().tree().global_size()) + world().size());
  }
}

TEST_P(PatchMeshOverRanks, In2D) {
  expect_same_after_rounds<2>(GetParam());
}
TEST_P(PatchMeshOverRanks, In3D) {
  expect_same_after_rounds<3>(GetParam());
}

constexpr auto faces = solvers::HaloShape::faces;
constexpr auto edges = solvers::HaloShape::edges;
constexpr auto full = solvers::HaloShape::full;
constexpr auto constant = solvers::Prolongation::constant;
constexpr auto linear = solvers::Prolongation::limited_linear;
constexpr auto centred = solvers::Prolongation::centred;
INSTANTIATE_TEST_SUITE_P(Quick, PatchMeshOverRanks,
                         testing::Values(Case{3, 1, faces, constant, true, false},
                                         Case{6, 2, full, linear, false, false},
                                         Case{6, 2, full, linear, false, false, true}));
INSTANTIATE_TEST_SUITE_P(
    Cases, PatchMeshOverRanks,
    testing::Values(Case{7, 2, full, linear, true, true}, Case{6, 2, edges, linear, false, false},
                    Case{5, 1, faces, linear, false, true}, Case{9, 3, faces, centred, true, false},
                    Case{9, 3, faces, centred, false, true}, Case{6, 2, full, centred, false, false},
                    Case{9, 3, full, centred, true, false}, Case{9, 3, faces, centred, true, false, true},
                    Case{5, 1, faces, constant, true, false, true}));

// Registers with values that depend on the leaf and the number of the step only: corrected states must not
// depend on the ranks.
template <int D>
void record_step(const PatchMesh<D>& mesh, std::span<const solvers::PatchTask> patches, int step) {
  const auto size = static_cast<std::uint64_t>(mesh.layout().face_flux_size());
  for (std::size_t leaf = 0; leaf < mesh.size(); ++leaf) {
    for (std::uint64_t face = 0; face < 2 * D; ++face) {
      double* flux = patches[leaf].flux[face];
      for (std::uint64_t i = 0; flux != nullptr && i < size; ++i)
        flux[i] = noise(mesh.tree().leaves()[leaf].bits, face, i + static_cast<std::uint64_t>(step) * size);
    }
  }
}

// Corrects the coarse leaves of each level, in whose step the next finer level takes `steps` steps.
template <int D>
void correct_by_levels(PatchMesh<D>& mesh, int steps, ThreadTeam& team) {
  LocalSteps<D>& local = mesh.local_steps();
  for (int level = local.coarsest(); level < local.finest(); ++level) {
    FluxCorrection<D>& fluxes = local.fluxes(level);
    for (int step = 0; step < steps; ++step) {
      record_step(mesh, local.patches(), step);
      for (std::size_t leaf = 0; leaf < mesh.size(); ++leaf) fluxes.add_step(leaf, step);
    }
    fluxes.messages().start_receives();
    fluxes.start_sends(team);
    fluxes.messages().wait();
    const auto leaves = fluxes.coarse_leaves();
    for (std::size_t i = 0; i < leaves.size(); ++i)
      fluxes.apply(i, local.patches()[static_cast<std::size_t>(leaves[i])], 0.1, steps);
  }
}

template <int D>
void expect_same_correction(bool by_levels) {
  Pair<D> pair({5, 1, faces, linear, true, false, by_levels}, 2);
  pair.fill();
  for (std::uint64_t round = 0; round < 5; ++round) pair.adapt(round, 4);
  ThreadTeam team(2);
  for (auto* mesh : {&pair.alone(), &pair.together()}) {
    record_step(*mesh, mesh->patches(), 0);
    for (std::size_t leaf = 0; leaf < mesh->size(); ++leaf) mesh->exchange().fluxes().add_step(leaf, 0);
    mesh->exchange().expect_messages();
    mesh->exchange().fluxes().start_sends(team);
    mesh->exchange().poll();
    mesh->exchange().finish_fluxes();
    for (std::size_t i = 0; i < mesh->exchange().fluxes().coarse_leaves().size(); ++i)
      mesh->exchange().correct(i, 0.1);
    mesh->exchange().halos().start_sends(team);
    mesh->exchange().halos().finish_receives(0, team);
  }
  EXPECT_GT(pair.alone().exchange().fluxes().coarse_leaves().size(), 0u);
  pair.expect_same(0);

  for (const int steps : {1, 3}) {
    pair.fill();
    for (auto* mesh : {&pair.alone(), &pair.together()}) correct_by_levels(*mesh, steps, team);
    pair.expect_same(0);
  }
}

TEST(FluxCorrectionOverRanksQuick, In2D) {
  for (const bool by_levels : {false, true}) expect_same_correction<2>(by_levels);
}
TEST(FluxCorrectionOverRanksQuick, In3D) {
  for (const bool by_levels : {false, true}) expect_same_correction<3>(by_levels);
}

// The first half of the curve takes nine times as long as the rest.
TEST(PatchMesh, FollowsMeasuredLoadsWithoutChangesOfLeaves) {
  Pair<2> pair({5, 1, faces, linear, true, true}, 3);
  pair.fill();
  ThreadTeam team(2);
  PatchMesh<2>& mesh = pair.together();
  mesh.fill_halos(0, team);
  const std::int64_t before = world().max(static_cast<std::int64_t>(mesh.size()));
  const auto load = [&](std::size_t leaf) {
    return 2 * mesh.numbers()[leaf] < mesh.tree().global_size() ? 9e-3 : 1e-3;
  };
  for (std::size_t leaf = 0; leaf < mesh.size(); ++leaf) mesh.add_cost(leaf, load(leaf));
  const std::vector<Adapt> keep(mesh.size(), Adapt::keep);
  EXPECT_FALSE(mesh.adapt(keep, 3, 3, 0, team)) << "no leaf changes";
  double own = 0;
  for (std::size_t leaf = 0; leaf < mesh.size(); ++leaf) own += load(leaf);
  EXPECT_LE(world().max(own),
            1.05 * 5e-3 * static_cast<double>(mesh.tree().global_size()) / world().size() + 9e-3);
  if (world().size() > 1) {
    EXPECT_GT(world().max(static_cast<std::int64_t>(mesh.size())), before);
  }
  pair.expect_same(0);
}

// More ranks than leaves.
TEST(PatchMesh, SomeRanksWithoutLeaves) {
  Pair<2> pair({6, 1, full, linear, true, false}, 1);
  pair.fill();
  ThreadTeam team(1);
  pair.alone().fill_halos(0, team);
  pair.together().fill_halos(0, team);
  pair.expect_same(1);
}

}  // namespace
}  // namespace meander::mesh
