// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Rejected values in [offload] and [gpu-memory], with position and alternatives.

#include <gtest/gtest.h>

#include "gpu/device.hpp"
#include "offload/engine.hpp"
#include "simulation/config/config.hpp"
#include "simulation/module.hpp"
#include "tests/io/scratch.hpp"
#include "tests/mesh/inert_solver.hpp"

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

Config load_after_base(const std::string& text) {
  return load_config_text(base + text, "run.toml", {}, scenarios(), 1e12);
}

struct Bad {
  std::string text, where, says;
};

std::ostream& operator<<(std::ostream& out, const Bad& bad) {
  return out << bad.text;
}

// Further keys of [offload] may follow.
const std::string on_device = "[gpu-memory]\npatches = \"device\"\n[offload]\ndevice = \"host\"\n";

class BadOffloadInput : public testing::TestWithParam<Bad> {};

TEST_P(BadOffloadInput, IsRefusedWithTheAlternatives) {
  const Bad& bad = GetParam();
  try {
    load_after_base(bad.text);
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
        Bad{"[gpu-memory]\npatches = \"gpu\"\n", "gpu-memory.patches", "host, pinned, unified, device"},
        Bad{"[gpu-memory]\npatches = \"device\"\n", "run.toml:11:11: gpu-memory.patches",
            "offload.device is \"none\"; \"cuda\" uses GPUs, and \"host\" emulates"},
        Bad{on_device + "batch = 32\n", "run.toml:14:9: offload.batch", "set its default 8"},
        Bad{on_device + "queues = 2\n", "run.toml:14:10: offload.queues", "set its default 4"},
        Bad{on_device + "split = \"fixed\"\n", "offload.split", "set its default \"measured\""},
        Bad{on_device + "memory = \"unified\"\n", "offload.memory", "set its default \"pooled\""},
        Bad{on_device + "split = \"fixed\"\ndevice-share = 0.5\n", "offload.split",
            "where no batches travel"},
        Bad{on_device + "device-share = 0.5\n", "offload.device-share", "where no batches travel"},
        Bad{"[offload]\ndevice = \"host\"\n[gpu-memory]\npatches = \"device\"\nfallback = \"abort\"\n",
            "run.toml:14:12: gpu-memory.fallback", "set its default \"batch\""},
        Bad{"[offload]\ngpus = \"by-rank\"\n", "offload.gpus", "by-local-rank, all"},
        Bad{"[offload]\nsplit = \"even\"\n", "offload.split", "measured, fixed"},
        Bad{"[offload]\ndevice-share = 0.5\n", "offload.device-share", "split = \"fixed\" uses it"},
        Bad{"[offload]\nsplit = \"fixed\"\ndevice-share = 1.5\n", "offload.device-share",
            "must be between 0 and 1"},
        Bad{"[gpu-memory]\ntrim-after = -1\n", "gpu-memory.trim-after", "must be"},
        Bad{"[gpu-memory]\nmessages = \"gpu\"\n", "gpu-memory.messages", "auto, host, device"},
        Bad{"[gpu-memory]\nmessages = \"device\"\n", "run.toml:11:12: gpu-memory.messages",
            "has no meaning for patches = \"host\""}));

// The message for a run with patches on an emulated device.
std::string resident_complaint(const solvers::Solver& solver, const mesh::BoundaryCondition& condition) {
  OffloadConfig config;
  io::KeyTable offload("offload"), gpu_memory("gpu-memory");
  describe_offload(offload, config);
  describe_gpu_memory(gpu_memory, config);
  config.device = "host";
  config.patches = "device";
  const mesh::BoundaryCondition* const boundaries[] = {&mesh::boundary::outflow, &condition};
  return testing_io::message_of<InputError>(
      [&] { check_offload(offload, gpu_memory, config, solver, 6, boundaries); });
}

TEST(OffloadInput, PatchesOnADeviceRequireKernels) {
  const mesh::InertSolver solver(2, 1, solvers::HaloShape::faces, solvers::Prolongation::constant);
  const std::string said = resident_complaint(solver, mesh::boundary::outflow);
  EXPECT_NE(said.find("gpu-memory.patches: inert has no kernels for patches that live on host:0"),
            std::string::npos)
      << said;
}

TEST(OffloadInput, PatchesOnADeviceRequireBoundaryConditionsThatItKnows) {
  const mesh::BoundaryCondition own{.name = "porous", .meaning = "is a filter", .fill = mesh::extrapolate};
  const auto solver = load_after_base("").solver;
  const std::string said = resident_complaint(*solver, own);
  EXPECT_NE(said.find("the boundary condition 'porous' has no form for devices"), std::string::npos) << said;
  EXPECT_EQ(resident_complaint(*solver, mesh::boundary::given), "no such exception");
}

// A resolved input contains all keys with their defaults.
TEST(OffloadInput, ResolvedInputsOfRunsOnTheHostMayMoveToADevice) {
  const Config config = load_after_base("");
  EXPECT_NO_THROW(load_config_text(config.resolved, "resolved.toml",
                                   {"offload.device=host", "gpu-memory.patches=device"}, scenarios(), 1e12));
}

TEST(OffloadInput, PatchesOnAnAutomaticDeviceRequireAGpu) {
  const std::string missing = gpu::why_missing("cuda");
  if (missing.empty()) GTEST_SKIP() << "there is a GPU here";
  const std::string said = testing_io::message_of<InputError>(
      [] { load_after_base("[offload]\ndevice = \"auto\"\n[gpu-memory]\npatches = \"device\"\n"); });
  EXPECT_NE(said.find("run.toml:13:11: gpu-memory.patches: \"device\" requires a device"), std::string::npos)
      << said;
  EXPECT_NE(said.find(missing), std::string::npos) << said;
}

TEST(OffloadInput, DefaultsToNoDevice) {
  const Config config = load_after_base("");
  EXPECT_EQ(config.offload.device, "none");
  EXPECT_EQ(make_engine(config.offload, *config.solver, {}), nullptr);
}

TEST(OffloadInput, RefusesCudaWhereThereIsNone) {
  if (gpu::why_missing("cuda").empty()) GTEST_SKIP() << "there is a GPU here";
  try {
    load_after_base("[offload]\ndevice = \"cuda\"\n");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("offload.device"), std::string::npos) << said;
    EXPECT_NE(said.find(gpu::why_missing("cuda")), std::string::npos) << said;
    EXPECT_NE(said.find("\"none\" and \"host\""), std::string::npos) << said;
  }
}

TEST(OffloadInput, AutoReportsItsDevices) {
  const Config config = load_after_base("[offload]\ndevice = \"auto\"\n");
  testing::internal::CaptureStderr();
  EXPECT_EQ(make_engine(config.offload, *config.solver, {}) != nullptr, gpu::why_missing("cuda").empty());
  const std::string said = testing::internal::GetCapturedStderr(), missing = gpu::why_missing("cuda");
  EXPECT_NE(said.find(missing.empty() ? "NVIDIA" : "no device is used; " + missing), std::string::npos)
      << said;
}

TEST(OffloadInput, IsResolvedAndReadsBack) {
  const Config config = load_after_base(
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
