// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Rejected values in [offload] and [gpu-memory], with position and alternatives.

#include <gtest/gtest.h>

#include "gpu/device.hpp"
#include "simulation/config/config.hpp"
#include "simulation/module.hpp"

namespace meander::simulation {
namespace {

const std::string base = R"(
[domain]
dimensions = 2
[boundary]
all = "outflow"
[mesh]
patch-size = 6
[scenario]
name = "riemann-2d"
)";

Config load(const std::string& text) {
  return load_config_text(base + text, "run.toml", {}, scenarios(), 1e12);
}

struct Bad {
  std::string text, where, says;
};

std::ostream& operator<<(std::ostream& out, const Bad& bad) {
  return out << bad.text;
}

class BadOffloadInput : public testing::TestWithParam<Bad> {};

TEST_P(BadOffloadInput, IsRefusedWithTheAlternatives) {
  const Bad& bad = GetParam();
  try {
    load(bad.text);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("run.toml:"), std::string::npos) << said;
    EXPECT_NE(said.find(bad.where), std::string::npos) << said;
    EXPECT_NE(said.find(bad.says), std::string::npos) << said;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Simulation, BadOffloadInput,
    testing::Values(
        Bad{"[offload]\ndevice = \"tpu\"\n", "offload.device", "\"none\", \"host\", \"host:N\""},
        Bad{"[offload]\ndevice = \"host:0\"\n", "offload.device", "from 1 to"},
        Bad{"[offload]\nmemory = \"mapped\"\n", "offload.memory", "map, pooled, unified"},
        Bad{"[offload]\nbatch = 0\n", "offload.batch", "must be between 1"},
        Bad{"[offload]\nqueues = 0\n", "offload.queues", "must be between 1"},
        Bad{"[offload]\ndevice = \"host\"\nbatch = 32\n[gpu-memory]\nlimit = 20000\n", "offload.batch",
            "32 patches of "},
        Bad{"[offload]\ndevice = \"host\"\n[gpu-memory]\nlimit = 0.5\n", "gpu-memory.limit",
            "bytes of one patch"},
        Bad{"[offload]\ndevice = \"host\"\n[gpu-memory]\nquota = 3500\n", "gpu-memory.quota",
            "bytes of one patch"},
        Bad{"[offload]\ndevice = \"host\"\n[gpu-memory]\nlimit = 1e15\n", "gpu-memory.limit",
            "exceeds the memory of host:0"},
        Bad{"[offload]\ndevice = \"host\"\nmemory = \"map\"\n[gpu-memory]\nlimit = 1e8\n", "gpu-memory.limit",
            "has no cache"},
        Bad{"[offload]\ndevice = \"host\"\n[gpu-memory]\nquota = 1e15\n", "gpu-memory.quota",
            "exceeds the memory of host:0"},
        Bad{"[offload]\ndevice = \"host\"\nbatch = 32\n[gpu-memory]\nquota = 20000\n", "offload.batch",
            "32 patches of "},
        Bad{"[offload]\ndevice = \"host\"\nmemory = \"cuda-async\"\n[gpu-memory]\nquota = 1e8\n",
            "gpu-memory.quota", "has no cache"},
        Bad{"[gpu-memory]\nalignment = 192\n", "run.toml:11:13: gpu-memory.alignment",
            "must be a power of two, but is 192; 256 would be"},
        Bad{"[gpu-memory]\nalignment = 32\n", "gpu-memory.alignment", "must be between 64"},
        Bad{"[gpu-memory]\nfallback = \"pined\"\n", "gpu-memory.fallback", "pinned"},
        Bad{"[gpu-memory]\npatches = \"device\"\n", "gpu-memory.patches", "host, pinned, unified"},
        Bad{"[offload]\ngpus = \"by-rank\"\n", "offload.gpus", "by-local-rank, all"},
        Bad{"[offload]\nsplit = \"even\"\n", "offload.split", "measured, fixed"},
        Bad{"[offload]\ndevice-share = 0.5\n", "offload.device-share", "split = \"fixed\" uses it"},
        Bad{"[offload]\nsplit = \"fixed\"\ndevice-share = 1.5\n", "offload.device-share",
            "must be between 0 and 1"},
        Bad{"[gpu-memory]\ntrim-after = -1\n", "gpu-memory.trim-after", "must be"}));

TEST(OffloadInput, DefaultsToNoDevice) {
  const Config config = load("");
  EXPECT_EQ(config.offload.device, "none");
  EXPECT_EQ(make_engine(config.offload, *config.solver, {}), nullptr);
}

TEST(OffloadInput, RefusesCudaWhereThereIsNone) {
  if (gpu::why_missing("cuda").empty()) GTEST_SKIP() << "there is a GPU here";
  try {
    load("[offload]\ndevice = \"cuda\"\n");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("offload.device"), std::string::npos) << said;
    EXPECT_NE(said.find(gpu::why_missing("cuda")), std::string::npos) << said;
    EXPECT_NE(said.find("\"none\" and \"host\""), std::string::npos) << said;
  }
}

TEST(OffloadInput, AutoReportsItsDevices) {
  const Config config = load("[offload]\ndevice = \"auto\"\n");
  testing::internal::CaptureStderr();
  EXPECT_EQ(make_engine(config.offload, *config.solver, {}) != nullptr, gpu::why_missing("cuda").empty());
  const std::string said = testing::internal::GetCapturedStderr(), missing = gpu::why_missing("cuda");
  EXPECT_NE(said.find(missing.empty() ? "NVIDIA" : "no device is used; " + missing), std::string::npos)
      << said;
}

TEST(OffloadInput, IsResolvedAndReadsBack) {
  const Config config = load(
      "[offload]\ndevice = \"host:2\"\nbatch = 3\nsplit = \"fixed\"\ndevice-share = "
      "0.25\n[gpu-memory]\nlimit = "
      "1e9\npatches = \"pinned\"\n");
  const Config again = load_config_text(config.resolved, "resolved.toml", {}, scenarios(), 1e12);
  EXPECT_EQ(again.offload.device, "host:2");
  EXPECT_EQ(again.offload.batch, 3);
  EXPECT_EQ(again.offload.limit, 1e9);
  EXPECT_EQ(again.offload.device_share, 0.25);
  EXPECT_EQ(again.offload.patches, "pinned");
}

}  // namespace
}  // namespace meander::simulation
