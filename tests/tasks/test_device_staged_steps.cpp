// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Local time steps of several stages, of patches that live on an emulated device.

#include "tasks/step.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "gpu/host_device.hpp"
#include "gpu/memory_cache.hpp"
#include "tests/tasks/constrained_wave.hpp"
#include "tests/tasks/leaves.hpp"

namespace meander::tasks {
namespace {

// Levels 1 to 3 on the host or on a device.
struct StagedLevels {
  ConstrainedWaveSolver solver;
  gpu::HostDevice device;
  gpu::MemoryCache memory{device, gpu::Space::device};
  ThreadTeam team{2};
  std::unique_ptr<mesh::PatchMesh<3>> mesh;
  std::unique_ptr<Step<3>> levels;
  double t = 0;

  explicit StagedLevels(bool on_device, const mesh::BoundaryCondition& boundary = mesh::boundary::periodic)
      : mesh(wave_mesh(solver, boundary, team)) {
    if (on_device) mesh->residence().live_on(&device, &memory);
    levels = std::make_unique<Step<3>>(*mesh, solver, team);
  }
  // A step of level 1 with these ratios of levels 2 and 3; `limit`: the longest step of a level.
  solvers::Status advance(const std::vector<int>& ratios,
                          const std::function<double(std::size_t)>& limit = {}) {
    const double dt = finest_step_of_waves * ratios[0] * ratios[1];
    const auto leaves = leaves_by_level(*mesh);
    const LocalStepRule rule{2, leaves, [&](std::size_t level, double, double) {
                               if (limit) return limit(level);
                               return level == 0 ? dt : level == 1 ? dt / ratios[0] : finest_step_of_waves;
                             }};
    const solvers::Status status = levels->advance(t, dt, t + dt, ratios, rule);
    t += dt;
    return status;
  }
  solvers::Status advance_globally() {
    Step<3> global(*mesh, solver, team);
    const solvers::Status status = global.advance(t, finest_step_of_waves, t + finest_step_of_waves);
    t += finest_step_of_waves;
    return status;
  }
  template <class Work>
  std::int64_t launches_of(const Work& work) {
    const std::int64_t before = mesh->residence().device()->launches().counts.launches;
    work();
    return mesh->residence().device()->launches().counts.launches - before;
  }
};

void expect_same(StagedLevels& host, StagedLevels& device, const solvers::Status& expected,
                 const solvers::Status& found) {
  ASSERT_FALSE(expected.failed);
  EXPECT_FALSE(found.failed);
  EXPECT_EQ(found.crossing, expected.crossing);
  EXPECT_EQ(found.floored, expected.floored);
  EXPECT_EQ(host.t, device.t);
  EXPECT_EQ(device.levels->counts().steps, host.levels->counts().steps);
  EXPECT_EQ(device.levels->counts().shadow_updates, host.levels->counts().shadow_updates);
  device.mesh->residence().bring_home();
  const auto left = interiors_of(*host.mesh), right = interiors_of(*device.mesh);
  ASSERT_EQ(left.size(), right.size());
  std::size_t different = 0;
  for (std::size_t leaf = 0; leaf < left.size(); ++leaf) different += left[leaf] == right[leaf] ? 0 : 1;
  EXPECT_EQ(different, 0u) << "of " << left.size() << " leaves";
}

// Levels that step alone, pairs of levels, all together, and global steps on the same tables. The domain is periodic,
// or its boundary conditions read the halos of combined states.
TEST(DeviceStagedStepsLong, HasTheBitsOfLocalStepsOnTheHost) {
  for (const auto* boundary : {&mesh::boundary::periodic, &mesh::boundary::outflow}) {
    StagedLevels host(false, *boundary), device(true, *boundary);
    std::int64_t floored = 0;
    for (const std::vector<int>& ratios : {std::vector{3, 3}, {1, 3}, {2, 1}, {1, 1}, {2, 2}}) {
      SCOPED_TRACE(testing::Message() << "ratios " << ratios[0] << ", " << ratios[1]);
      const solvers::Status expected = host.advance(ratios), found = device.advance(ratios);
      expect_same(host, device, expected, found);
      floored += found.floored;
    }
    EXPECT_GT(device.levels->counts().shadow_updates, 0);
    EXPECT_GT(floored, 0);
    const solvers::Status expected = host.advance_globally(), found = device.advance_globally();
    expect_same(host, device, expected, found);
  }
}

// In the middle of a step of level 1, level 3 stands only steps a fifth as long as those of level 2.
TEST(DeviceStagedStepsLong, ChoosesRatiosAnewWithTheBitsOfTheHost) {
  StagedLevels host(false), device(true);
  const auto limit = [](std::size_t level) { return finest_step_of_waves * (level == 2 ? 0.6 : 3); };
  const solvers::Status expected = host.advance({3, 3}, limit), found = device.advance({3, 3}, limit);
  EXPECT_EQ(host.levels->counts().steps, (std::vector<std::int64_t>{0, 1, 3, 13}));
  expect_same(host, device, expected, found);
}

// What the device holds for local steps is made anew for the changed mesh.
TEST(DeviceStagedStepsLong, ContinuesAfterARegridWithTheBitsOfTheHost) {
  StagedLevels host(false), device(true);
  for (const bool is_changed : {false, true}) {
    SCOPED_TRACE(is_changed);
    for (StagedLevels* run : {&host, &device}) {
      if (!is_changed) continue;
      std::vector<mesh::Adapt> flags(run->mesh->size(), mesh::Adapt::keep);
      flags.back() = mesh::Adapt::refine;
      ASSERT_TRUE(run->mesh->adapt(flags, 1, 3, run->t, run->team));
      run->mesh->fill_halos(run->t, run->team);
    }
    const solvers::Status expected = host.advance({2, 2}), found = device.advance({2, 2});
    expect_same(host, device, expected, found);
  }
}

TEST(DeviceStagedSteps, LaunchesNoMoreForAStepOfTheFinestLevelThanForAGlobalStep) {
  StagedLevels run(true);
  run.advance({1, 2});  // makes the tables
  const std::int64_t two = run.launches_of([&] {
    run.advance({1, 2});
  }),
                     three = run.launches_of([&] {
                       run.advance({1, 3});
                     }),
                     global = run.launches_of([&] { run.advance_globally(); });
  EXPECT_GT(three - two, 0);
  EXPECT_LE(three - two, global);
  // A step of the coarser levels: their rates, the shadows of two levels, and the sum of the status; after it the halos of
  // all levels.
  EXPECT_LE(two - 2 * (three - two), global + 2 + 2 + 1 + 2);
}

TEST(DeviceStagedSteps, FailsWithTheStateOfTheHost) {
  StagedLevels host(false), device(true);
  for (StagedLevels* run : {&host, &device}) {
    const auto& patch = run->mesh->patches()[40];
    patch.q[run->mesh->layout().at(0, 4, 4, 4)] = std::numeric_limits<double>::quiet_NaN();
    run->mesh->residence().changed_at_home();
  }
  const solvers::Status expected = host.advance({1, 2}), found = device.advance({1, 2});
  EXPECT_TRUE(expected.failed);
  EXPECT_TRUE(found.failed);
  EXPECT_EQ(found.inadmissible, expected.inadmissible);
}

}  // namespace
}  // namespace meander::tasks
