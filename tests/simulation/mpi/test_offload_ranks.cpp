// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Runs with a device on every rank are bitwise identical to one rank without devices. Messages overlap batches.

#include <fmt/format.h>

#include "gpu/host_device.hpp"
#include "offload/batch_execution.hpp"
#include "simulation/report/summary.hpp"
#include "tests/simulation/mpi/cases.hpp"
#include "tests/simulation/mpi/outcome.hpp"

namespace meander::simulation {
namespace {

class OffloadOnRanks : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Quick, OffloadOnRanks, testing::Values("riemann"),
                         [](const auto& tested) { return tested.param; });
INSTANTIATE_TEST_SUITE_P(Simulation, OffloadOnRanks,
                         testing::Values("accretion_muscl", "riemann_measured", "infall"),
                         [](const auto& tested) { return tested.param; });

TEST_P(OffloadOnRanks, ChangesNoBit) {
  RankCase tested = case_called(GetParam());
  if (GetParam() != "accretion_muscl") tested.settings.push_back("mesh.min-level=3");
  const int steps = tested.steps / 3;
  const auto run = [&](const Config& config, int threads, const parallel::Communicator& communicator) {
    auto simulation = make_simulation(config, threads, communicator);
    while (simulation->step() < steps) simulation->advance(config.time.end);
    return simulation;
  };
  const Outcome reference =
      alone([&](const auto& one) { return outcome_of(*run(config_of(tested), 1, one)); });
  for (const char* memory : {"pooled", "map", "unified"}) {
    Config config = config_of(tested, {"offload.device=host", "offload.split=fixed", "offload.batch=4",
                                       "offload.queues=2", std::string("offload.memory=") + memory});
    // With several ranks, the device of one rank fails.
    config.offload.make_devices = [] {
      gpu::HostDeviceSettings settings;
      settings.failing_launch = 5;
      settings.dies_after = world().rank() == 1 ? 40 : 0;
      std::vector<std::unique_ptr<gpu::Device>> devices;
      devices.push_back(std::make_unique<gpu::HostDevice>(settings));
      return devices;
    };
    const auto simulation = run(config, 2, world());
    expect_same(outcome_of(*simulation), reference, memory);
    const Summary summary = summarise(*simulation, {});
    ASSERT_TRUE(summary.offload.has_value());
    EXPECT_GT(summary.offload->counts.batches, 0) << memory;
    EXPECT_EQ(summary.offload->updates * simulation->view().layout.volumes(), simulation->volume_updates());
    EXPECT_GT(summary.offload->counts.failed, 0) << memory;
    EXPECT_EQ(summary.offload->counts.given_up, world().size() > 1 ? 1 : 0) << memory;
  }
}

// Some ranks have no device, as on nodes without GPU and with device = "auto".
TEST(OffloadTogether, SomeRanksMayHaveNoDevice) {
  RankCase tested = case_called("riemann");
  tested.settings.push_back("mesh.min-level=3");
  const auto run = [&](const Config& config, const parallel::Communicator& communicator) {
    auto simulation = make_simulation(config, 1, communicator);
    while (simulation->step() < 3) simulation->advance(config.time.end);
    return simulation;
  };
  const Outcome reference = alone([&](const auto& one) { return outcome_of(*run(config_of(tested), one)); });
  for (const char* gpus : {"by-local-rank", "all"}) {
    Config config = config_of(tested, {"offload.device=host", "offload.split=fixed",
                                       std::string("offload.gpus=") + gpus, "gpu-memory.quota=1e9"});
    config.offload.make_devices = [] {
      std::vector<std::unique_ptr<gpu::Device>> devices;
      if (world().rank() == world().size() - 1)
        devices.push_back(std::make_unique<gpu::HostDevice>(gpu::HostDeviceSettings{}));
      return devices;
    };
    const auto simulation = run(config, world());
    expect_same(outcome_of(*simulation), reference, gpus);
    const auto report = summarise(*simulation, {}).offload;
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->devices, 1);
    EXPECT_GT(report->counts.batches, 0);
    EXPECT_GT(report->rates.device_patch, 0);
  }
}

// Every rank sees different devices, as if the batch system had assigned them.
TEST(OffloadTogether, DevicesSeenByOneRankAreNotDealtToOthers) {
  Config config = config_of(case_called("one_leaf"), {"offload.device=host"});
  config.offload.make_devices = [] {
    std::vector<std::unique_ptr<gpu::Device>> devices;
    for (const int own : {0, 1}) {
      gpu::HostDeviceSettings settings;
      settings.number = 2 * world().rank() + own;
      devices.push_back(std::make_unique<gpu::HostDevice>(settings));
    }
    return devices;
  };
  const auto simulation = make_simulation(config, 1, world());
  const auto report = sum_over_ranks(simulation->offload(), world());
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->devices, 2 * world().size());
}

// The caches of all ranks together stay within a quota, and each rank has its share of four devices.
TEST(OffloadTogether, AllRanksKeepToAQuota) {
  RankCase tested = case_called("accretion_muscl");
  const int steps = tested.steps / 6;
  const auto run = [&](const std::vector<std::string>& settings, const parallel::Communicator& communicator) {
    auto simulation = make_simulation(config_of(tested, settings), 2, communicator);
    while (simulation->step() < steps) simulation->advance(simulation->config().time.end);
    return simulation;
  };
  const Outcome reference = alone([&](const auto& one) { return outcome_of(*run({}, one)); });
  std::size_t batch = 0;
  {
    const auto plain = run({}, world());
    batch = offload::batch_bytes({&plain->solver(), plain->view().layout}, 4);
  }
  for (const auto& [device, gpus] : {std::pair{"host:4", "by-local-rank"}, std::pair{"host", "all"}}) {
    const auto simulation = run(
        {std::string("offload.device=") + device, std::string("offload.gpus=") + gpus, "offload.split=fixed",
         "offload.batch=4", "gpu-memory.patches=pinned", fmt::format("gpu-memory.quota={}.0", 3 * batch)},
        world());
    expect_same(outcome_of(*simulation), reference, device);
    const auto report = sum_over_ranks(simulation->offload(), world());
    ASSERT_TRUE(report.has_value());
    EXPECT_GT(report->counts.batches, 0);
    // Without the quota each rank would hold more than its share.
    const bool all = std::string(gpus) == "all";
    const std::int64_t quotas = all ? 1 : 4;
    // All are dealt out; where there are more ranks, some share.
    EXPECT_EQ(report->devices, all ? world().size() : std::max(4, world().size()));
    EXPECT_GT(report->peak_device_bytes, 0);
    EXPECT_LE(report->device_bytes, quotas * static_cast<std::int64_t>(3 * batch));
    const OverlapTime messages = simulation->times().messages;
    EXPECT_EQ(messages.under_way > 0, world().size() > 1);
    EXPECT_GE(messages.share(), 0);
    EXPECT_LE(messages.share(), 1);
    EXPECT_LE(report->batches.share(), 1);
  }
}

}  // namespace
}  // namespace meander::simulation
