// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Runs are bitwise identical for any failures of devices and any amount of device memory.

#include <gtest/gtest.h>

#include <algorithm>

#include "gpu/strategy.hpp"
#include "offload/batch_execution.hpp"
#include "simulation/report/summary.hpp"
#include "tests/simulation/offload_runs.hpp"

namespace meander::simulation {
namespace {

TEST(Offload, LaysBatchesIntoPinnedMemoryWhereTheDeviceHasNone) {
  const Problem& problem = problems[0];
  Config config = offloading(problem, {"gpu-memory.fallback=pinned", "gpu-memory.alignment=512"});
  gpu::HostDeviceSettings small;
  const auto simulation = make_simulation(config, 1);
  const offload::UpdateCall call{&simulation->solver(), simulation->view().layout};
  small.capacity = offload::batch_bytes(call, 8) + offload::batch_bytes(call, 8) / 2;
  use(config, small);
  const OffloadReport report = expect_same_bits(config, problem, 4, "pinned fallback");
  EXPECT_EQ(report.counts.failed + report.counts.deferred + report.counts.split, 0);
  EXPECT_GT(report.fallbacks, 0);
  const auto lines = lines_of(report);
  EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("blocks were in pinned memory instead") != std::string::npos;
  }));
}

TEST(Offload, AbortsWithoutMemoryIfConfigured) {
  const Problem& problem = problems[0];
  Config config = offloading(problem, {"gpu-memory.fallback=abort"});
  gpu::HostDeviceSettings tiny;
  tiny.capacity = 4096;
  use(config, tiny);
  try {
    run(config, problem, 4);
    FAIL() << "it went on";
  } catch (const Failure& failure) {
    EXPECT_NE(std::string(failure.what()).find("4096"), std::string::npos) << failure.what();
  }
}

TEST(Offload, SurvivesFailuresOfAllKinds) {
  for (const Problem& problem : problems) {
    for (const std::string& strategy : gpu::strategy_names()) {
      gpu::HostDeviceSettings failing;
      failing.failing_launch = 3;
      failing.failing_copy = 8;
      failing.failing_allocation = 2;
      Config config = offloading(problem, {"offload.memory=" + strategy});
      use(config, failing);
      const OffloadReport report = expect_same_bits(config, problem, 4, strategy);
      EXPECT_GE(report.counts.failed, 1) << strategy;
      EXPECT_GE(report.counts.retried, 1) << strategy;
      EXPECT_EQ(report.counts.given_up, 0) << strategy;
    }
  }
}

TEST(Offload, SurvivesMemoryThatComesAndGoes) {
  for (const Problem& problem : problems) {
    gpu::HostDeviceSettings scarce;
    scarce.allocation_failures = 0.3;
    Config config = offloading(problem, {"offload.memory=map"});
    use(config, scarce);
    const OffloadReport report = expect_same_bits(config, problem, 4, "allocations fail at random");
    EXPECT_GT(report.counts.failed + report.counts.deferred, 0);
  }
}

// Capacity for half of the requested batches.
TEST(Offload, SplitsBatchesWithoutMemory) {
  for (const Problem& problem : problems) {
    Config config = offloading(problem, {"offload.batch=8"});
    gpu::HostDeviceSettings small;
    const auto simulation = make_simulation(config, 1);
    const offload::UpdateCall call{&simulation->solver(), simulation->view().layout};
    small.capacity = offload::batch_bytes(call, 4) + offload::batch_bytes(call, 4) / 4;
    use(config, small);
    testing::internal::CaptureStderr();
    const auto run_with_little = run(config, problem, 4);
    const std::string said = testing::internal::GetCapturedStderr();
    expect_same(outcome_of(*run_with_little), reference(problem), problem.name);
    const OffloadReport report = run_with_little->offload().value();
    EXPECT_GT(report.counts.batches, 1);
    EXPECT_EQ(report.counts.patches, 4 * report.counts.batches);
    EXPECT_EQ(report.counts.failed, 1);
    EXPECT_EQ(report.counts.retried, 1);
    EXPECT_EQ(report.counts.split, 1);
    EXPECT_EQ(report.counts.on_cpu, 0);
    EXPECT_NE(said.find("failed on host:0"), std::string::npos) << said;
    EXPECT_EQ(said.find("failed on host:0"), said.rfind("failed on host:0")) << said;
    const std::string summary = summary_json(summarise(*run_with_little, {}));
    EXPECT_NE(summary.find("\"offload_split_batches\": 1"), std::string::npos) << summary;
  }
}

TEST(OffloadLong, ContinuesWithoutAFailedDevice) {
  for (const Problem& problem : problems) {
    for (const std::string& strategy : gpu::strategy_names()) {
      gpu::HostDeviceSettings mortal;
      mortal.dies_after = 100;
      mortal.kernel_delay = 1e-4;
      Config config = offloading(problem, {"offload.memory=" + strategy});
      use(config, mortal);
      testing::internal::CaptureStderr();
      auto simulation = run(config, problem, 4);
      const Outcome outcome = outcome_of(*simulation);
      const OffloadReport report = simulation->offload().value();
      const std::string summary = summary_json(summarise(*simulation, {}));
      simulation.reset();
      const std::string said = testing::internal::GetCapturedStderr();
      expect_same(outcome, reference(problem), problem.name + ", " + strategy);
      EXPECT_EQ(report.counts.given_up, 1) << strategy;
      EXPECT_GT(report.counts.on_cpu, 0) << strategy;
      EXPECT_NE(said.find("is lost"), std::string::npos) << said;
      EXPECT_EQ(said.find("warning"), said.rfind("warning")) << said;
      EXPECT_NE(summary.find("\"offload_devices_given_up\": 1"), std::string::npos) << summary;
    }
  }
}

TEST(Offload, OneDeviceFailsAndTheOtherContinues) {
  const Problem& problem = problems[0];
  Config config = offloading(problem, {});
  config.offload.make_devices = [] {
    std::vector<std::unique_ptr<gpu::Device>> devices;
    gpu::HostDeviceSettings settings;
    devices.push_back(std::make_unique<gpu::HostDevice>(settings));
    settings.number = 1;
    settings.dies_after = 60;
    devices.push_back(std::make_unique<gpu::HostDevice>(settings));
    return devices;
  };
  const OffloadReport report = expect_same_bits(config, problem, 3, "one of two dies");
  EXPECT_EQ(report.counts.given_up, 1);
  EXPECT_GT(report.counts.batches, 10);
}

}  // namespace
}  // namespace meander::simulation
