// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Steps of patches that live on an emulated device.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <random>

#include "gpu/host_device.hpp"
#include "gpu/memory_cache.hpp"
#include "physics/euler/solver.hpp"
#include "tasks/step.hpp"

namespace meander::tasks {
namespace {

template <int D>
struct DeviceRun {
  std::unique_ptr<solvers::Solver> solver;
  gpu::HostDevice device;
  gpu::MemoryCache memory{device, gpu::Space::device};
  mesh::PatchMesh<D> mesh;
  ThreadTeam team{2};
  std::mt19937 random{5};

  DeviceRun(int p, const char* scheme, int level, const mesh::BoundaryCondition& boundary, bool on_device)
      : solver(euler::make_solver(D, {}, {.scheme = scheme})),
        mesh(mesh::DistributedTree<D>::uniform(domain(), level, {}), *solver, p, boundaries(boundary), {},
             gpu::host_memory()) {
    for (const auto& patch : mesh.patches()) fill(patch);
    mesh.fill_halos(0, team);
    if (on_device) mesh.residence().live_on(&device, &memory);
  }
  static mesh::Domain<D> domain() {
    mesh::Domain<D> result;
    result.base_cells.fill(1);
    return result;
  }
  static mesh::Boundaries<D> boundaries(const mesh::BoundaryCondition& boundary) {
    mesh::Boundaries<D> result;
    result.fill(&boundary);
    return result;
  }
  void fill(const solvers::PatchTask& patch) {
    std::uniform_real_distribution<double> noise(0.9, 1.1);
    const auto& layout = mesh.layout();
    for (int v = 0; v < layout.volumes(); ++v) {
      Index<D> i{};
      for (int a = 0, rest = v; a < D; ++a, rest /= layout.p) i[a] = rest % layout.p;
      patch.q[layout.at(0, i)] = noise(random);
      for (int a = 0; a < D; ++a) patch.q[layout.at(1 + a, i)] = noise(random) - 1;
      patch.q[layout.at(D + 1, i)] = 2 * noise(random);
    }
  }
  // Refines some leaves and coarsens some families.
  void regrid(Step<D>& traversal, double t) {
    std::uniform_int_distribution<int> dice(0, 9);
    std::vector<mesh::Adapt> flags(mesh.size());
    int of_family = 0;
    for (std::size_t leaf = 0; leaf < mesh.size(); ++leaf) {
      if (leaf % mesh::children<D> == 0) of_family = dice(random);
      flags[leaf] = of_family < 5       ? mesh::Adapt::coarsen
                    : dice(random) == 0 ? mesh::Adapt::refine
                                        : mesh::Adapt::keep;
    }
    if (!mesh.adapt(flags, 1, 3, t, team)) return;
    traversal.enforce_floors();
    mesh.fill_halos(t, team);
  }
};

constexpr int most_launches = 12;

// Launches of a stage, independently of leaves and jumps.
template <int D>
std::int64_t launches_of_a_step(const char* scheme, int level, int rounds) {
  DeviceRun<D> run(6, scheme, level, mesh::boundary::outflow, true);
  Step<D> traversal(run.mesh, *run.solver, run.team);
  traversal.inspect();
  for (int round = 0; round < rounds || (rounds > 0 && run.mesh.exchange().fluxes().coarse_leaves().empty());
       ++round)
    run.regrid(traversal, 0);
  traversal.advance(0, 1e-4, 1e-4);
  const std::int64_t before = run.mesh.residence().device()->launches().counts.launches;
  for (int step = 1; step < 4; ++step)
    EXPECT_FALSE(traversal.advance(step * 1e-4, 1e-4, (step + 1) * 1e-4).failed);
  return (run.mesh.residence().device()->launches().counts.launches - before) / 3;
}

TEST(DevicePlace, LaunchesFewKernelsAStepWhateverTheMesh) {
  for (const char* scheme : {"godunov", "muscl"}) {
    std::map<std::int64_t, int> uniform, adaptive;
    for (const int level : {1, 2, 3}) ++uniform[launches_of_a_step<2>(scheme, level, 0)];
    for (const int rounds : {1, 3}) ++adaptive[launches_of_a_step<2>(scheme, 2, rounds)];
    ++adaptive[launches_of_a_step<3>(scheme, 1, 1)];
    EXPECT_EQ(uniform.size(), 1u) << scheme << ": depends on the number of leaves";
    EXPECT_EQ(adaptive.size(), 1u) << scheme << ": depends on the resolution jumps";
    EXPECT_LE(uniform.rbegin()->first, adaptive.begin()->first);
    EXPECT_LE(adaptive.rbegin()->first, most_launches);
  }
}

// Host and device run the same regrids; every leaf keeps a slot of its own, and no slot is held without a leaf.
template <int D>
void expect_same_after_many_regrids(const char* scheme, int steps, int regrids) {
  std::map<bool, std::vector<std::vector<double>>> states;
  for (const bool on_device : {false, true}) {
    DeviceRun<D> run(6, scheme, 1, mesh::boundary::reflecting, on_device);
    Step<D> traversal(run.mesh, *run.solver, run.team);
    traversal.inspect();
    for (int step = 0; step < steps; ++step) {
      const double t = step * 1e-5;
      ASSERT_FALSE(traversal.advance(t, 1e-5, t + 1e-5).failed);
      if (step % (steps / regrids) == 0) run.regrid(traversal, t + 1e-5);
    }
    EXPECT_EQ(run.mesh.held_slots(), run.mesh.size());
    run.mesh.residence().bring_home();
    const auto& layout = run.mesh.layout();
    for (const auto& patch : run.mesh.patches()) {
      auto& state = states[on_device].emplace_back();
      for (int u = 0; u < layout.unknowns; ++u) {
        for (int v = 0; v < layout.volumes(); ++v) {
          Index<D> i{};
          for (int a = 0, rest = v; a < D; ++a, rest /= layout.p) i[a] = rest % layout.p;
          state.push_back(patch.q[layout.at(u, i)]);
        }
      }
    }
  }
  ASSERT_EQ(states[false].size(), states[true].size());
  for (std::size_t leaf = 0; leaf < states[false].size(); ++leaf) {
    ASSERT_EQ(std::memcmp(states[false][leaf].data(), states[true][leaf].data(),
                          states[false][leaf].size() * sizeof(double)),
              0)
        << D << "D " << scheme << ", leaf " << leaf << " of " << states[false].size();
  }
}

TEST(DevicePlace, KeepsSlotsAndBitsThroughManyRegrids) {
  expect_same_after_many_regrids<2>("muscl", 200, 50);
  expect_same_after_many_regrids<2>("godunov", 200, 50);
  expect_same_after_many_regrids<3>("muscl", 8, 4);
}

// The slots of a step are in device memory, which the host cannot read; their home is spoilt meanwhile.
TEST(DevicePlace, LeavesNoStateInHostMemory) {
  DeviceRun<2> run(6, "muscl", 1, mesh::boundary::outflow, true);
  Step<2> traversal(run.mesh, *run.solver, run.team);
  traversal.inspect();
  ASSERT_FALSE(traversal.advance(0, 1e-4, 1e-4).failed);
  const auto& patch = run.mesh.patches()[3];
  EXPECT_TRUE(std::isnan(patch.q[run.mesh.layout().at(0, 2, 2)]));
  run.mesh.residence().bring_home();
  EXPECT_FALSE(std::isnan(patch.q[run.mesh.layout().at(0, 2, 2)]));
}

}  // namespace
}  // namespace meander::tasks
