// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Runs with devices are bitwise identical to runs without, for any batches and memory.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gpu/strategy.hpp"
#include "offload/batch_execution.hpp"
#include "simulation/report/summary.hpp"
#include "tests/simulation/offload_runs.hpp"

namespace meander::simulation {
namespace {

TEST(Offload, IsOffUnlessAskedFor) {
  const auto simulation = run(config_of(tested(problems[1])), problems[1], 2);
  EXPECT_FALSE(simulation->offload().has_value());
  EXPECT_EQ(summary_json(summarise(*simulation, {})).find("offload"), std::string::npos);
}

TEST(OffloadLong, ChangesNoBitForAnyBatchAndThreads) {
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
          EXPECT_GE(report.enclaves, report.counts.patches);
          EXPECT_LT(report.enclaves, report.updates);
        }
      }
    }
  }
}

TEST(Offload, ReportsThatNothingWasOffloaded) {
  const Problem& problem = problems[1];
  const auto lines = [&](const char* batch) {
    const OffloadReport report =
        expect_same_bits(offloading(problem, {std::string("offload.batch=") + batch}), problem, 2, batch);
    EXPECT_GT(report.enclaves, 0);
    return fmt::format("{}", fmt::join(lines_of(report), "\n"));
  };
  EXPECT_NE(lines("60000").find("offloaded: nothing; "), std::string::npos) << lines("60000");
  EXPECT_EQ(lines("8").find("nothing"), std::string::npos) << lines("8");
}

TEST(Offload, ReportsThatEveryBatchFailed) {
  OffloadReport report;
  report.counts.failed = 3;
  report.counts.given_up = 1;
  const std::string lines = fmt::format("{}", fmt::join(lines_of(report), "\n"));
  EXPECT_NE(lines.find("offloaded: nothing; every batch failed\n"), std::string::npos) << lines;
  EXPECT_NE(lines.find("  3 batches failed at first and"), std::string::npos) << lines;
  EXPECT_EQ(lines.find("offload.batch"), std::string::npos) << "which is not the reason: " << lines;
}

TEST(OffloadLong, ChangesNoBitForAnyMemory) {
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

TEST(OffloadLong, ChangesNoBitForAnyMemoryOfPatches) {
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

// The block kernels of a GPU, in the memory of the emulated device.
TEST(OffloadLong, ChangesNoBitWithBlockKernels) {
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

// Every leaf has three faces with radiative boundaries.
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

// Pieces that are large enough for a copy each, and a device that is lost with the patches in its memory.
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

TEST(OffloadLong, ChangesNoBitForAnySplit) {
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

TEST(Offload, KeepsToTheQuota) {
  const Problem& problem = problems[0];
  const auto plain = make_simulation(offloading(problem, {}), 1);
  const offload::UpdateCall call{&plain->solver(), plain->view().layout};
  const auto bytes = offload::batch_bytes(call, 8) + offload::batch_bytes(call, 8) / 2;
  const Config config =
      offloading(problem, {fmt::format("gpu-memory.quota={}.0", bytes), "offload.device=host:2"});
  const auto simulation = run(config, problem, 4);
  expect_same(outcome_of(*simulation), reference(problem), "quota");
  EXPECT_GT(simulation->offload().value().counts.batches, 0);
  EXPECT_LE(simulation->offload().value().peak_device_bytes, static_cast<std::int64_t>(2 * bytes));
}

TEST(OffloadLong, ChangesNoBitOnCudaIn100Steps) {
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

TEST(OffloadLong, ChangesNoBitWhenDevicesAreSlow) {
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

}  // namespace
}  // namespace meander::simulation
