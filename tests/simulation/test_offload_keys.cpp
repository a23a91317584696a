// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Effects of the keys of [offload] and [gpu-memory] that the state does not show: every key has one.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <thread>

#include "base/trace.hpp"
#include "gpu/size_class.hpp"
#include "offload/engine.hpp"
#include "tests/simulation/offload_runs.hpp"

namespace meander::simulation {
namespace {

const Problem& problem = problems[1];

// Devices that the test can inspect during the lifetime of the simulation.
struct Asked {
  std::vector<gpu::HostDevice*> devices;
  void take_over(Config& config, int count = 1) {
    config.offload.make_devices = [this, count] {
      std::vector<std::unique_ptr<gpu::Device>> made;
      devices.clear();
      for (int i = 0; i < count; ++i) {
        gpu::HostDeviceSettings settings;
        settings.number = i;
        auto device = std::make_unique<gpu::HostDevice>(settings);
        devices.push_back(device.get());
        made.push_back(std::move(device));
      }
      return made;
    };
  }
};

TEST(OffloadKeys, PatchesLieWhereTheyAreToLie) {
  for (const char* patches : {"host", "pinned", "unified"}) {
    Config config = offloading(problem, {std::string("gpu-memory.patches=") + patches});
    Asked asked;
    asked.take_over(config);
    const auto simulation = make_simulation(config, 1);
    // No batch has been in flight yet.
    EXPECT_EQ(asked.devices.at(0)->allocations() > 0, std::string(patches) != "host") << patches;
  }
}

TEST(OffloadKeys, EachDeviceHasSoManyQueues) {
  for (const int queues : {1, 3}) {
    Config config = offloading(
        problem, {fmt::format("offload.queues={}", queues), "offload.device=host:2", "offload.batch=2"});
    trace::start();
    run(config, problem, 2);
    trace::stop();
    const std::string events = trace::events(0, "");
    trace::clear();
    std::set<std::string> rows;
    for (std::size_t at = events.find("\"host:"); at != std::string::npos;
         at = events.find("\"host:", at + 1))
      rows.insert(events.substr(at, events.find('"', at + 1) - at));
    EXPECT_EQ(rows.size(), static_cast<std::size_t>(2 * queues));
  }
}

// Bytes in the cache for a batch of `patches` patches; device kernels require more than those of the CPU.
std::size_t block_of(std::size_t patches) {
  const auto simulation = make_simulation(config_of(tested(problem)), 1);
  const offload::UpdateCall call{&simulation->solver(), simulation->view().layout};
  return gpu::class_bytes(gpu::size_class(offload::batch_bytes(call, patches)));
}

TEST(OffloadKeys, ABatchThatFitsOnlyBeforeItIsRoundedUpIsRefused) {
  const std::string most = std::to_string(block_of(8) - 1);
  try {
    offloading(problem, {"offload.batch=8", "gpu-memory.limit=" + most});
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    const std::string says = fmt::format(
        "require a block of {} bytes, which does not fit into {} bytes on host:0; ", block_of(8), most);
    EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
  }
  EXPECT_NO_THROW(
      offloading(problem, {"offload.batch=8", "gpu-memory.limit=" + std::to_string(block_of(8))}));
}

TEST(OffloadKeys, TheLimitBoundsEachCache) {
  const auto peak = [](const std::string& limit) {
    const auto simulation =
        run(offloading(problem, {"offload.queues=8", "gpu-memory.limit=" + limit}), problem, 4);
    EXPECT_GT(simulation->offload().value().counts.batches, 0);
    return simulation->offload().value().peak_device_bytes;
  };
  const std::size_t limit = block_of(8) * 11 / 10;
  EXPECT_GT(peak("0"), limit);
  EXPECT_LE(peak(std::to_string(limit)), limit) << "one batch of eight at a time";
}

// A device so slow that it gets batches in the first step only.
TEST(OffloadKeys, IdleMemoryGoesBackInTime) {
  for (const char* after : {"0", "1000"}) {
    Config config =
        offloading(problem, {std::string("gpu-memory.trim-after=") + after, "offload.split=measured"});
    gpu::HostDeviceSettings slow;
    slow.kernel_delay = 0.1;
    use(config, slow);
    const auto simulation = make_simulation(config, 2);
    simulation->advance(config.time.end);
    const OffloadReport first = simulation->offload().value();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // the cache's clock is coarse
    simulation->advance(config.time.end);
    const OffloadReport second = simulation->offload().value();
    EXPECT_GT(first.counts.batches, 0);
    EXPECT_EQ(second.counts.batches, first.counts.batches);
    EXPECT_EQ(second.device_bytes == 0, std::string(after) == "0") << after;
  }
}

TEST(OffloadKeys, TheAlignmentIsThatOfAllBlocks) {
  std::int64_t held_before = 0;
  for (const std::int64_t alignment : {256, 65536}) {
    Config config =
        offloading(problem, {fmt::format("gpu-memory.alignment={}", alignment), "offload.queues=1"});
    Asked asked;
    asked.take_over(config);
    const auto simulation = run(config, problem, 2);
    const std::int64_t held = simulation->offload().value().device_bytes;
    gpu::HostDevice& device = *asked.devices.at(0);
    EXPECT_EQ(held, static_cast<std::int64_t>(device.properties().memory - device.available()));
    if (alignment == 65536) {
      EXPECT_GE(held, held_before + alignment) << "there is a batch";
    }
    held_before = held;
  }
}

TEST(OffloadKeys, AllDevicesAreUsed) {
  Config config = offloading(problem, {"offload.batch=2"});
  Asked asked;
  asked.take_over(config, 3);
  const auto simulation = run(config, problem, 2);
  for (const gpu::HostDevice* device : asked.devices) EXPECT_GT(device->allocations(), 0);
  EXPECT_EQ(simulation->offload().value().devices, 3);
}

}  // namespace
}  // namespace meander::simulation
