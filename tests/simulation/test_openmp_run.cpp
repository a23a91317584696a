// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Runs whose batches are updated by target regions of OpenMP, in builds with OpenMP offloading. On the initial device
// they are bitwise identical to a run without devices.
#include <gtest/gtest.h>

#include "gpu/device.hpp"
#include "tests/simulation/mpi/cases.hpp"
#include "tests/simulation/mpi/outcome.hpp"

namespace meander::simulation {
namespace {

std::unique_ptr<Simulation> run(const std::string& name, std::vector<std::string> settings, int steps = 6) {
  RankCase one = case_called(name);
  if (one.name == "riemann") settings.push_back("mesh.min-level=3");
  const Config config = config_of(one, settings);
  auto simulation = make_simulation(config, 3);
  while (simulation->step() < steps) simulation->advance(config.time.end);
  return simulation;
}

class OpenMpRun : public testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = gpu::why_missing("openmp");
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
  static bool has_gpu() {
    return gpu::make_devices("openmp").front()->properties().name != "openmp: host fallback";
  }
};

TEST_F(OpenMpRun, ChangesNoBit) {
  if (has_gpu()) GTEST_SKIP() << "there is a GPU, whose library functions may round in their own way";
  for (const char* name : {"accretion_muscl", "riemann"}) {
    const Outcome expected = outcome_of(*run(name, {}));
    for (const char* memory : {"map", "pooled", "zero-copy"}) {
      const auto simulation = run(name, {"offload.device=openmp", "offload.batch=8", "offload.queues=2",
                                         std::string("offload.memory=") + memory});
      expect_same(outcome_of(*simulation), expected, std::string(name) + ", " + memory);
      const auto report = simulation->offload();
      ASSERT_TRUE(report.has_value());
      EXPECT_GT(report->counts.batches, 0) << name << ", " << memory;
      EXPECT_EQ(report->counts.failed, 0) << name << ", " << memory;
    }
  }
}

// Dynamic meshes in 2D and 3D, every kind of boundary, gravity, and point values: every kernel on resident patches.
class OpenMpResident : public OpenMpRun, public testing::WithParamInterface<RankCase> {};
INSTANTIATE_TEST_SUITE_P(Simulation, OpenMpResident, testing::ValuesIn(rank_cases()), name_of);

TEST_P(OpenMpResident, ChangesNoBit) {
  if (has_gpu()) GTEST_SKIP() << "there is a GPU, whose library functions may round in their own way";
  const std::string& name = GetParam().name;
  const int steps = name.starts_with("ccz4") ? 2 : 6;
  const Outcome expected = outcome_of(*run(name, {}, steps));
  const auto simulation = run(name, {"offload.device=openmp", "gpu-memory.patches=device"}, steps);
  ASSERT_TRUE(simulation->resident().has_value());
  EXPECT_LE(simulation->resident()->launches_per_stage(), 12);
  expect_same(outcome_of(*simulation), expected, name);
}

TEST_F(OpenMpRun, RefusesMemoryThatTheRuntimeLacks) {
  for (const std::string setting : {"offload.memory=unified", "offload.memory=unified-prefetch",
                                    "offload.memory=cuda-async", "gpu-memory.patches=unified"}) {
    try {
      run("riemann", {"offload.device=openmp", setting});
      ADD_FAILURE() << setting;
    } catch (const InputError& error) {
      const std::string said = error.what();
      EXPECT_NE(said.find(setting.substr(0, setting.find('='))), std::string::npos) << said;
      if (setting.starts_with("gpu-memory")) {
        EXPECT_NE(said.find("\"host\" and \"pinned\""), std::string::npos) << said;
        continue;
      }
      EXPECT_NE(said.find("\"map\", \"pooled\""), std::string::npos) << said;
    }
  }
}

}  // namespace
}  // namespace meander::simulation
