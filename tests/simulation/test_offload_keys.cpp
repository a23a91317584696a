// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// What keys of [offload] and [gpu-memory] do that shows in no state: none is there for show.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <thread>

#include "base/trace.hpp"
#include "tests/simulation/offload_runs.hpp"

namespace meander::simulation {
namespace {

const Problem& problem = problems[1];

// Devices that the test may ask, for as long as the simulation lives.
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
    // No batch has been under way yet.
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

TEST(OffloadKeys, TheLimitBoundsEachCache) {
  const auto peak = [](const std::string& limit) {
    const auto simulation =
        run(offloading(problem, {"offload.queues=8", "gpu-memory.limit=" + limit}), problem, 4);
    EXPECT_GT(simulation->offload().value().counts.batches, 0);
    return simulation->offload().value().peak_device_bytes;
  };
  EXPECT_GT(peak("0"), 45'000);
  EXPECT_LE(peak("45000"), 45'000) << "one batch of eight at a time";
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
  for (const std::int64_t alignment : {256, 65536}) {
    Config config =
        offloading(problem, {fmt::format("gpu-memory.alignment={}", alignment), "offload.queues=1"});
    Asked asked;
    asked.take_over(config);
    const auto simulation = run(config, problem, 2);
    const std::int64_t held = simulation->offload().value().device_bytes;
    gpu::HostDevice& device = *asked.devices.at(0);
    EXPECT_EQ(held, static_cast<std::int64_t>(device.properties().memory - device.available()));
    EXPECT_EQ(held > 65536, alignment == 65536) << "the one batch takes " << held;
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
