// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// With devices or without, in whatever batches and memory, and whatever fails: the same bits.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "gpu/host_device.hpp"
#include "gpu/strategy.hpp"
#include "simulation/summary.hpp"
#include "tests/simulation/mpi/cases.hpp"
#include "tests/simulation/mpi/outcome.hpp"

namespace meander::simulation {
namespace {

struct Problem {
  std::string name;
  int steps;
};
// Refined balls in the middle of a coarse mesh, so that there are enclaves of several levels.
const Problem problems[] = {{"accretion_muscl", 6}, {"riemann", 14}};

RankCase tested(const Problem& problem) {
  RankCase result = case_called(problem.name);
  if (problem.name == "riemann") result.settings.push_back("mesh.min-level=3");
  return result;
}

std::unique_ptr<Simulation> run(const Config& config, const Problem& problem, int threads) {
  auto simulation = make_simulation(config, threads);
  while (simulation->step() < problem.steps) simulation->advance(config.time.end);
  return simulation;
}

const Outcome& reference(const Problem& problem) {
  static std::map<std::string, Outcome> known;
  auto [entry, is_new] = known.try_emplace(problem.name);
  if (is_new) entry->second = outcome_of(*run(config_of(tested(problem)), problem, 1));
  return entry->second;
}

// As much as possible, however slow the emulated device is.
Config offloading(const Problem& problem, std::vector<std::string> settings) {
  settings.insert(settings.begin(), {"offload.device=host", "offload.split=fixed"});
  return config_of(tested(problem), settings);
}

// Devices with these settings in place of those of the input.
void use(Config& config, const gpu::HostDeviceSettings& settings, int count = 1) {
  config.offload.make_devices = [=] {
    std::vector<std::unique_ptr<gpu::Device>> devices;
    for (int i = 0; i < count; ++i) {
      gpu::HostDeviceSettings one = settings;
      one.number = i;
      devices.push_back(std::make_unique<gpu::HostDevice>(one));
    }
    return devices;
  };
}

OffloadReport expect_same_bits(const Config& config, const Problem& problem, int threads,
                               const std::string& whose) {
  const auto simulation = run(config, problem, threads);
  expect_same(outcome_of(*simulation), reference(problem), problem.name + ", " + whose);
  const auto report = simulation->offload();
  EXPECT_TRUE(report.has_value());
  return report.value_or(OffloadReport{});
}

TEST(Offload, IsOffUnlessAskedFor) {
  const auto simulation = run(config_of(tested(problems[1])), problems[1], 2);
  EXPECT_FALSE(simulation->offload().has_value());
  EXPECT_EQ(summary_json(summarise(*simulation, {})).find("offload"), std::string::npos);
}

TEST(Offload, ChangesNoBitForAnyBatchAndThreads) {
  for (const Problem& problem : problems) {
    for (const char* device : {"host", "host:4"}) {
      for (const char* batch : {"1", "8", "32"}) {
        for (const int threads : {1, 4}) {
          const Config config = offloading(
              problem, {std::string("offload.device=") + device, std::string("offload.batch=") + batch});
          const OffloadReport report =
              expect_same_bits(config, problem, threads, fmt::format("{}, {}, {}", device, batch, threads));
          EXPECT_GT(report.counts.batches, 0) << batch;
          EXPECT_EQ(report.counts.patches, report.counts.batches * std::stoi(batch));
          EXPECT_EQ(report.counts.failed + report.counts.deferred + report.counts.on_cpu, 0);
          EXPECT_GT(report.share(), 0.01);
          EXPECT_LT(report.share(), 1);
        }
      }
    }
  }
}

TEST(Offload, ChangesNoBitForAnyMemory) {
  for (const Problem& problem : problems) {
    for (const std::string& strategy : gpu::strategy_names()) {
      const OffloadReport report =
          expect_same_bits(offloading(problem, {"offload.memory=" + strategy}), problem, 3, strategy);
      EXPECT_GT(report.counts.batches, 0) << strategy;
      if (strategy == "pooled") {
        EXPECT_GT(report.hit_rate(), 0.5);
      }
    }
  }
}

TEST(Offload, ChangesNoBitForAnyMemoryOfPatches) {
  for (const Problem& problem : problems) {
    for (const char* patches : {"pinned", "unified"}) {
      for (const char* memory : {"pooled", "map", "zero-copy", "unified"}) {
        const OffloadReport report =
            expect_same_bits(offloading(problem, {std::string("gpu-memory.patches=") + patches,
                                                  std::string("offload.memory=") + memory}),
                             problem, 3, fmt::format("{} patches, {}", patches, memory));
        EXPECT_GT(report.counts.batches, 0) << memory;
      }
    }
  }
}

// What a GPU would run, block by block, in the memory of the emulated device.
TEST(Offload, ChangesNoBitWithBlockKernels) {
  for (const Problem& problem : problems) {
    for (const std::string& strategy : gpu::strategy_names()) {
      Config config = offloading(problem, {"offload.device=host:2", "offload.memory=" + strategy});
      config.offload.block_kernels = true;
      const OffloadReport report = expect_same_bits(config, problem, 3, "block kernels, " + strategy);
      EXPECT_GT(report.counts.batches, 0) << strategy;
      EXPECT_EQ(report.counts.failed, 0) << strategy;
    }
  }
}

// Every leaf has three faces that waves leave through.
TEST(Offload, LetsWavesLeave) {
  const Problem problem{"open box", 2};
  const RankCase box{problem.name,
                     "[domain]\ncells = [2, 2, 2]\n[boundary]\nall = \"sommerfeld\"\n[mesh]\npatch-size = 4\n"
                     "[solver]\nequation = \"ccz4\"\n[scenario]\nname = \"minkowski\"\nnoise = 0.001\n",
                     {},
                     problem.steps};
  const Outcome expected = outcome_of(*run(config_of(box), problem, 1));
  for (const bool block_kernels : {false, true}) {
    Config config = config_of(box, {"offload.device=host", "offload.split=fixed", "offload.batch=2"});
    config.offload.block_kernels = block_kernels;
    const auto simulation = run(config, problem, 3);
    expect_same(outcome_of(*simulation), expected, problem.name);
    EXPECT_EQ(simulation->offload().value().share(), 1) << block_kernels;
  }
}

// Pieces that are worth a copy each, and a device that is lost with the patches in its memory.
TEST(Offload, CopiesStraightFromPinnedPatches) {
  const Problem& problem = problems[1];
  for (const std::uint64_t dies_after : {0, 300}) {
    Config config = offloading(problem, {"gpu-memory.patches=pinned", "offload.batch=32"});
    gpu::HostDeviceSettings settings;
    settings.dies_after = dies_after;
    use(config, settings);
    const OffloadReport report =
        expect_same_bits(config, problem, 3, fmt::format("dies after {}", dies_after));
    if (dies_after == 0) {
      EXPECT_GT(report.counts.batches, 0);
    }
    EXPECT_EQ(report.counts.given_up, dies_after > 0 ? 1 : 0);
  }
}

TEST(Offload, ChangesNoBitForAnySplit) {
  for (const Problem& problem : problems) {
    for (const char* share : {"0", "0.5", "1"}) {
      const Config config =
          offloading(problem, {std::string("offload.device-share=") + share, "offload.batch=2"});
      const OffloadReport report = expect_same_bits(config, problem, 3, share);
      EXPECT_EQ(report.counts.batches == 0, std::string(share) == "0") << share;
    }
    const OffloadReport measured =
        expect_same_bits(offloading(problem, {"offload.split=measured"}), problem, 3, "measured");
    EXPECT_GT(measured.counts.batches, 0);
    EXPECT_GT(measured.rates.thread_patch, 0);
    EXPECT_GT(measured.rates.device_patch, 0);
  }
}

TEST(Offload, LaysBatchesIntoPinnedMemoryWhereTheDeviceHasNone) {
  const Problem& problem = problems[0];
  Config config = offloading(problem, {"gpu-memory.fallback=pinned", "gpu-memory.alignment=512"});
  gpu::HostDeviceSettings small;
  const auto simulation = make_simulation(config, 1);
  const tasks::UpdateCall call{&simulation->solver(), simulation->view().layout};
  small.capacity = tasks::batch_bytes(call, 8) + tasks::batch_bytes(call, 8) / 2;
  use(config, small);
  const OffloadReport report = expect_same_bits(config, problem, 4, "pinned fallback");
  EXPECT_EQ(report.counts.failed + report.counts.deferred + report.counts.split, 0);
  EXPECT_GT(report.fallbacks, 0);
}

TEST(Offload, EndsTheRunWithoutMemoryIfItIsTo) {
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

TEST(Offload, KeepsToTheQuota) {
  const Problem& problem = problems[0];
  const auto plain = make_simulation(offloading(problem, {}), 1);
  const tasks::UpdateCall call{&plain->solver(), plain->view().layout};
  const auto bytes = tasks::batch_bytes(call, 8) + tasks::batch_bytes(call, 8) / 2;
  const Config config =
      offloading(problem, {fmt::format("gpu-memory.quota={}.0", bytes), "offload.device=host:2"});
  const auto simulation = run(config, problem, 4);
  expect_same(outcome_of(*simulation), reference(problem), "quota");
  EXPECT_GT(simulation->offload().value().counts.batches, 0);
  EXPECT_LE(simulation->offload().value().peak_device_bytes, static_cast<std::int64_t>(2 * bytes));
}

TEST(Offload, ChangesNoBitOnCudaIn100Steps) {
  if (const std::string missing = gpu::why_missing("cuda"); !missing.empty()) GTEST_SKIP() << missing;
  for (const std::string name : {"accretion_muscl", "riemann"}) {
    const Problem problem{name, 100};
    const Outcome expected = outcome_of(*run(config_of(tested(problem)), problem, 4));
    for (const std::string& strategy : gpu::strategy_names()) {
      const auto simulation =
          run(offloading(problem, {"offload.device=cuda", "offload.memory=" + strategy}), problem, 4);
      expect_same(outcome_of(*simulation), expected, name + ", cuda, " + strategy);
      const OffloadReport report = simulation->offload().value();
      EXPECT_GT(report.counts.batches, 0) << strategy;
      EXPECT_EQ(report.counts.failed, 0) << strategy;
    }
  }
}

TEST(Offload, ChangesNoBitWhenDevicesAreSlow) {
  gpu::HostDeviceSettings slow;
  slow.launch_latency = 2e-4;
  slow.kernel_delay = 1e-3;
  slow.copy_latency = 1e-4;
  slow.bandwidth_in = slow.bandwidth_out = 1e9;
  slow.allocation_stall = 1e-4;
  for (const Problem& problem : problems) {
    for (const char* strategy : {"map", "pooled", "unified"}) {
      Config config = offloading(problem, {std::string("offload.memory=") + strategy});
      use(config, slow, 2);
      EXPECT_GT(expect_same_bits(config, problem, 4, strategy).counts.batches, 0);
    }
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

// Capacity for half of the batches that are asked for.
TEST(Offload, SplitsBatchesThatFindNoMemory) {
  for (const Problem& problem : problems) {
    Config config = offloading(problem, {"offload.batch=8"});
    gpu::HostDeviceSettings small;
    const auto simulation = make_simulation(config, 1);
    const tasks::UpdateCall call{&simulation->solver(), simulation->view().layout};
    small.capacity = tasks::batch_bytes(call, 4) + tasks::batch_bytes(call, 4) / 4;
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

TEST(Offload, GoesOnWithoutADeviceThatDies) {
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

TEST(Offload, OneDeviceDiesAndTheOtherWorksOn) {
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
