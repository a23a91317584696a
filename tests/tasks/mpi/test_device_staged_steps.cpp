// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Local time steps of several stages of patches that live on devices of several ranks have the bits of one rank without
// device.

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "gpu/host_device.hpp"
#include "gpu/memory_cache.hpp"
#include "tasks/step.hpp"
#include "tests/tasks/constrained_wave.hpp"
#include "tests/tasks/leaves.hpp"
#include "tests/tasks/mpi/many_ranks.hpp"

namespace meander::tasks {
namespace {

struct StagedOutcome {
  std::vector<std::vector<double>> interiors;  // of own leaves
  std::array<double, solvers::Status::most_levels> crossing{};
  std::int64_t floored = 0, shadow_updates = 0;
};

StagedOutcome outcome(const std::vector<int>& ratios, const parallel::Communicator& communicator,
                      Devices devices) {
  const ConstrainedWaveSolver solver;
  gpu::HostDevice device;
  gpu::MemoryCache memory(device, gpu::Space::device);
  ThreadTeam team(1);
  const auto mesh = wave_mesh(solver, mesh::boundary::outflow, team, communicator);
  if (devices != Devices::none) {
    const bool has_device = devices == Devices::all || communicator.rank() % 2 == 0;
    mesh->residence().live_on(has_device ? &device : nullptr, has_device ? &memory : nullptr);
  }
  const auto leaves = leaves_by_level(*mesh);
  const double dt = finest_step_of_waves * ratios[0] * ratios[1];
  const LocalStepRule rule{2, leaves, [&](std::size_t level, double, double) {
                             return level == 0 ? dt : level == 1 ? dt / ratios[0] : finest_step_of_waves;
                           }};
  const auto levels = std::make_unique<Step<3>>(*mesh, solver, team);
  StagedOutcome found;
  const solvers::Status status = levels->advance(0, dt, dt, ratios, rule);
  EXPECT_FALSE(status.failed);
  found.crossing = status.crossing;
  found.floored = communicator.sum(status.floored);
  found.shadow_updates = levels->counts().shadow_updates;
  mesh->residence().bring_home();
  found.interiors = interiors_of(*mesh);
  return found;
}

TEST(DeviceStagedStepsOnRanksLong, HasTheBitsOfOneRankOnTheHost) {
  for (const auto& [ratios, devices] :
       {std::pair{std::vector{2, 2}, Devices::all}, {std::vector{3, 1}, Devices::some}}) {
    const StagedOutcome expected = outcome(ratios, {}, Devices::none),
                        found = outcome(ratios, world(), devices);
    EXPECT_GT(expected.floored, 0);
    EXPECT_GT(expected.shadow_updates, 0);
    EXPECT_EQ(found.crossing, expected.crossing);
    EXPECT_EQ(found.floored, expected.floored);
    EXPECT_EQ(found.shadow_updates, expected.shadow_updates);
    expect_same_leaves(expected.interiors, found.interiors, ratios == std::vector{2, 2} ? "all" : "some");
  }
}

}  // namespace
}  // namespace meander::tasks
