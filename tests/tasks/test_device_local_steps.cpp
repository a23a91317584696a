// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Local time steps of patches that live on an emulated device.

#include "tasks/step.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>

#include "gpu/host_device.hpp"
#include "gpu/memory_cache.hpp"
#include "physics/euler/solver.hpp"
#include "tests/tasks/nested_gas.hpp"

namespace meander::tasks {
namespace {

// Levels 1 to 3 on the host or on a device.
template <int D>
struct Levels {
  std::unique_ptr<solvers::Solver> solver;
  gpu::HostDevice device;
  gpu::MemoryCache memory{device, gpu::Space::device};
  ThreadTeam team{2};
  std::unique_ptr<mesh::PatchMesh<D>> mesh;
  std::unique_ptr<Step<D>> levels;
  std::vector<std::int64_t> leaves = std::vector<std::int64_t>(3, 0);

  Levels(const GasCase& c, bool on_device, const mesh::BoundaryCondition& boundary = mesh::boundary::outflow)
      : solver(euler::make_solver(D, {.density_floor = 0.9}, {.scheme = c.scheme, .riemann = c.riemann})),
        mesh(nested_mesh<D>(*solver, c.p, boundary, team)) {
    if (on_device) mesh->residence().live_on(&device, &memory);
    levels = std::make_unique<Step<D>>(*mesh, *solver, team);
    for (const int level : mesh->levels()) ++leaves[static_cast<std::size_t>(level - 1)];
  }
  // Steps of level 1 with these ratios of levels 2 and 3, chosen anew by `limit`, the longest step of a level.
  solvers::Status advance(double t, double dt, const std::vector<int>& ratios,
                          const std::function<double(std::size_t, double)>& limit = {}) {
    const LocalStepRule rule{2, leaves, [&](std::size_t level, double, double at) {
                               if (limit) return limit(level, at);
                               double longest = dt;
                               for (std::size_t l = 0; l < level; ++l) longest /= ratios[l];
                               return longest;
                             }};
    return levels->advance(t, dt, t + dt, ratios, rule);
  }
  double longest_step(const GasCase& c) const { return 0.1 / (27 * c.p * D); }
  std::int64_t launches() const { return mesh->residence().device()->launches().counts.launches; }
};

// Interiors and halos across faces. Edges and corners are no state: kernels on the host may overwrite them.
template <int D>
std::vector<double> state_of(const mesh::PatchMesh<D>& mesh) {
  const auto& layout = mesh.layout();
  std::vector<double> state;
  for (const auto& patch : mesh.patches()) {
    for (int v = 0; v < ipow(layout.edge(), D); ++v) {
      Index<D> i{};
      int outside = 0;
      for (int a = 0, rest = v; a < D; ++a, rest /= layout.edge()) {
        i[a] = rest % layout.edge() - layout.h;
        outside += i[a] < 0 || i[a] >= layout.p ? 1 : 0;
      }
      for (int u = 0; u < layout.unknowns && outside < 2; ++u) state.push_back(patch.q[layout.at(u, i)]);
    }
  }
  return state;
}

template <int D>
void expect_same(Levels<D>& host, Levels<D>& device, const std::string& what) {
  device.mesh->residence().bring_home();
  const auto expected = state_of<D>(*host.mesh), found = state_of<D>(*device.mesh);
  ASSERT_EQ(expected.size(), found.size());
  EXPECT_EQ(std::memcmp(expected.data(), found.data(), expected.size() * sizeof(double)), 0)
      << D << "D, " << what;
}

void expect_same_status(const solvers::Status& found, const solvers::Status& expected) {
  ASSERT_FALSE(expected.failed);
  EXPECT_EQ(found.failed, false);
  EXPECT_EQ(found.min_crossing(), expected.min_crossing());
  EXPECT_EQ(found.crossing, expected.crossing);
  EXPECT_EQ(found.first_order, expected.first_order);
  EXPECT_EQ(found.floored, expected.floored);
  EXPECT_GT(found.floored, 0);
}

template <int D>
void expect_bits_of_the_host(const GasCase& c, const std::vector<int>& ratios) {
  Levels<D> host(c, false, mesh::boundary::reflecting), device(c, true, mesh::boundary::reflecting);
  const double dt = host.longest_step(c) * ratios[0] * ratios[1];
  double t = 0;
  for (int step = 0; step < 2; ++step, t += dt)
    expect_same_status(device.advance(t, dt, ratios), host.advance(t, dt, ratios));
  expect_same(host, device, c.scheme + ", ratios " + std::to_string(ratios[0]) + std::to_string(ratios[1]));
}

TEST(DeviceLocalSteps, HasTheBitsOfLocalStepsOnTheHost) {
  for (const GasCase& c : gas_cases) {
    for (const std::vector<int>& ratios : {std::vector{3, 3}, {1, 3}, {2, 3}, {3, 1}, {1, 1}})
      expect_bits_of_the_host<2>(c, ratios);
    if (c.p < 7) expect_bits_of_the_host<3>(c, {3, 2});
  }
}

// From the second step of level 2 on, level 3 stands only steps a fifth as long as those of level 2. Steps of all
// levels at once follow on the same tables.
TEST(DeviceLocalSteps, ChoosesRatiosAnewWithTheBitsOfTheHost) {
  const GasCase c{6, "muscl", "rusanov"};
  Levels<2> host(c, false), device(c, true);
  const double dt = 9 * host.longest_step(c);
  const auto limit = [&](std::size_t level, double t) {
    return level == 2 ? (t > 0 ? dt / 15 : dt / 9) : dt / 3;
  };
  for (Levels<2>* run : {&host, &device}) {
    ASSERT_FALSE(run->advance(0, dt, {3, 3}, limit).failed);
    EXPECT_EQ(run->levels->counts().steps, (std::vector<std::int64_t>{0, 1, 3, 13}));
    Step<2> global(*run->mesh, *run->solver, run->team);
    const double short_step = host.longest_step(c);
    const solvers::Status status = global.advance(dt, short_step, dt + short_step);
    ASSERT_FALSE(status.failed);
    EXPECT_LT(status.crossing[3], status.crossing[1]);
    ASSERT_FALSE(run->advance(dt + short_step, dt, {3, 3}).failed);
  }
  expect_same(host, device, "after a global step");
}

// Launches of one step of level 1.
template <int D>
std::int64_t launches_of(const GasCase& c, const std::vector<int>& ratios) {
  Levels<D> run(c, true);
  const double dt = run.longest_step(c);
  EXPECT_FALSE(run.advance(0, dt, ratios).failed);
  const std::int64_t before = run.launches();
  EXPECT_FALSE(run.advance(dt, dt, ratios).failed);
  return run.launches() - before;
}

template <int D>
std::int64_t launches_of_a_global_step(const GasCase& c) {
  Levels<D> run(c, true);
  Step<D> global(*run.mesh, *run.solver, run.team);
  const double dt = run.longest_step(c);
  EXPECT_FALSE(global.advance(0, dt, dt).failed);
  const std::int64_t before = run.launches();
  EXPECT_FALSE(global.advance(dt, dt, 2 * dt).failed);
  return run.launches() - before;
}

TEST(DeviceLocalSteps, LaunchesNoMoreForAStepOfTheFinestLevelThanForAGlobalStep) {
  for (const GasCase& c : {gas_cases[0], gas_cases[3]}) {
    const std::int64_t global = launches_of_a_global_step<2>(c), one = launches_of<2>(c, {1, 1}),
                       two = launches_of<2>(c, {1, 2}), three = launches_of<2>(c, {1, 3});
    EXPECT_EQ(three - two, two - one);
    EXPECT_LE(three - two, global);
    EXPECT_GT(three - two, 0);
    // Whole steps: at most two launches more for each step of a coarser level.
    EXPECT_LE(launches_of<2>(c, {3, 3}), 9 * global + 2 * (1 + 3));
    EXPECT_EQ(launches_of<3>(c, {1, 3}), three) << "depends on the number of leaves";
  }
}

}  // namespace
}  // namespace meander::tasks
