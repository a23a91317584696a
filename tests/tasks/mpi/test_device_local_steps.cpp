// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Local time steps of patches that live on devices of several ranks have the bits of one rank without device.

#include <gtest/gtest.h>

#include <functional>

#include "gpu/host_device.hpp"
#include "gpu/memory_cache.hpp"
#include "physics/euler/solver.hpp"
#include "tasks/step.hpp"
#include "tests/tasks/leaves.hpp"
#include "tests/tasks/mpi/many_ranks.hpp"
#include "tests/tasks/nested_gas.hpp"

namespace meander::tasks {
namespace {

struct DeviceCase {
  int p;
  std::string scheme;
  std::vector<int> ratios;
};

struct DeviceOutcome {
  std::vector<std::vector<double>> interiors;  // of own leaves
  std::array<double, solvers::Status::most_levels> crossing{};
  std::int64_t floored = 0;
};

// From the second step of level 2 on, level 3 stands only steps half as long as before.
template <int D>
DeviceOutcome outcome(const DeviceCase& c, const parallel::Communicator& communicator, Devices devices) {
  const auto solver = euler::make_solver(D, {.density_floor = 0.9}, {.scheme = c.scheme});
  gpu::HostDevice device;
  gpu::MemoryCache memory(device, gpu::Space::device);
  ThreadTeam team(1);
  const auto mesh = nested_mesh<D>(*solver, c.p, mesh::boundary::periodic, team, communicator);
  if (devices != Devices::none) {
    const bool has_device = devices == Devices::all || communicator.rank() % 2 == 0;
    mesh->residence().live_on(has_device ? &device : nullptr, has_device ? &memory : nullptr);
  }
  const auto leaves = leaves_by_level(*mesh);
  const double dt = 0.05 / (27 * c.p * D) * c.ratios[0] * c.ratios[1];
  const LocalStepRule rule{2, leaves, [&](std::size_t level, double, double t) {
                             double limit = level == 2 && t > 0 ? 0.5 * dt : dt;
                             for (std::size_t l = 0; l < level; ++l) limit /= c.ratios[l];
                             return limit;
                           }};
  const auto levels = std::make_unique<Step<D>>(*mesh, *solver, team);
  DeviceOutcome found;
  for (int step = 0; step < 2; ++step) {
    const solvers::Status status = levels->advance(step * dt, dt, (step + 1) * dt, c.ratios, rule);
    EXPECT_FALSE(status.failed);
    found.crossing = status.crossing;
    found.floored += communicator.sum(status.floored);
  }
  mesh->residence().bring_home();
  found.interiors = interiors_of(*mesh);
  return found;
}

template <int D>
void expect_same_bits_on_devices(const DeviceCase& c) {
  const DeviceOutcome expected = outcome<D>(c, {}, Devices::none);
  EXPECT_GT(expected.floored, 0);
  for (const Devices devices : {Devices::all, Devices::some}) {
    const DeviceOutcome found = outcome<D>(c, world(), devices);
    EXPECT_EQ(found.crossing, expected.crossing);
    EXPECT_EQ(found.floored, expected.floored);
    expect_same_leaves(expected.interiors, found.interiors, std::to_string(D) + "D, " + c.scheme);
  }
}

TEST(DeviceLocalStepsOnRanksLong, HasTheBitsOfOneRankOnTheHost) {
  expect_same_bits_on_devices<2>({6, "muscl", {3, 3}});
  expect_same_bits_on_devices<2>({4, "godunov", {2, 3}});
  expect_same_bits_on_devices<2>({7, "muscl", {3, 1}});
  expect_same_bits_on_devices<3>({3, "godunov", {3, 3}});
  expect_same_bits_on_devices<3>({6, "muscl", {1, 2}});
}

}  // namespace
}  // namespace meander::tasks
