// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Transfers of batches with every memory strategy on every device.
#include "gpu/strategy.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>
#include <tuple>
#include <vector>

#include "gpu/host_device.hpp"
#include "tests/gpu/caught_misuse.hpp"

namespace meander::gpu {
namespace {

class EveryStrategy : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  void SetUp() override {
    const auto& [kind, name] = GetParam();
    const std::string reason = why_missing(kind);
    if (!reason.empty()) GTEST_SKIP() << kind << ": " << reason;
    devices = make_devices(kind);
    try {
      strategy = make_strategy(name, device());
    } catch (const InputError& error) {
      GTEST_SKIP() << error.what();
    }
  }
  Device& device() { return *devices.front(); }

  // Sends integers, doubles them on the emulated device, fetches and checks them.
  void round_trip(Queue queue, int first, std::size_t count) {
    const Buffer buffer = strategy->acquire(queue, count * sizeof(int));
    ASSERT_NE(buffer.host, nullptr);
    auto* host = static_cast<int*>(buffer.host);
    for (std::size_t i = 0; i < count; ++i) host[i] = first + static_cast<int>(i);
    strategy->send(queue, buffer, 0, buffer.bytes);
    device().launch(queue, "double", [=](const Execution& execution) {
      if (!execution.on_host()) return;
      int* items = execution.address(static_cast<int*>(buffer.device), count);
      for (std::size_t i = 0; i < count; ++i) items[i] *= 2;
    });
    strategy->fetch(queue, buffer, 0, buffer.bytes);
    device().wait(device().record(queue));
    const int factor = device().properties().kind == "host" ? 2 : 1;
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(host[i], factor * (first + static_cast<int>(i)));
    strategy->release(queue, buffer);
  }

  std::vector<std::unique_ptr<Device>> devices;
  std::unique_ptr<Strategy> strategy;
};

std::string parameter_name(const ::testing::TestParamInfo<std::tuple<std::string, std::string>>& info) {
  std::string name = std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param);
  for (char& letter : name) {
    if (letter == '-') letter = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Strategy, EveryStrategy,
                         ::testing::Combine(::testing::Values("host", "cuda", "openmp"),
                                            ::testing::ValuesIn(strategy_names())),
                         parameter_name);

TEST_P(EveryStrategy, TransfersBatchesInBothDirections) {
  EXPECT_EQ(strategy->name(), std::get<1>(GetParam()));
  std::vector<std::thread> team;
  for (int t = 0; t < 4; ++t) {
    team.emplace_back([&, t] {
      const Queue queue = device().create_queue();
      for (int i = 0; i < 25; ++i)
        round_trip(queue, 1000 * t + i, 1000 + static_cast<std::size_t>(i % 5) * 3000);
      device().destroy_queue(queue);
    });
  }
  for (auto& thread : team) thread.join();
  const Stats stats = strategy->stats();
  EXPECT_EQ(stats.live_bytes, 0u);
  EXPECT_GE(stats.allocations, 100u);
  const std::string& name = strategy->name();
  if (name != "map" && name != "cuda-async") {
    EXPECT_GT(stats.hit_rate(), 0.5);
  }
  strategy->trim();
  EXPECT_EQ(strategy->stats().held_bytes, 0u);
}

TEST_P(EveryStrategy, SendsAndFetchesParts) {
  const Queue queue = device().create_queue();
  const Buffer buffer = strategy->acquire(queue, 4000);
  auto* host = static_cast<char*>(buffer.host);
  for (int i = 0; i < 4000; ++i) host[i] = 1;
  strategy->send(queue, buffer, 0, 4000);
  device().wait(device().record(queue));
  if (!strategy->shares_memory()) {
    for (int i = 0; i < 4000; ++i) host[i] = 2;
  }
  strategy->fetch(queue, buffer, 1000, 2000);
  device().wait(device().record(queue));
  for (int i = 0; i < 4000; ++i) {
    const bool fetched = i >= 1000 && i < 3000;
    ASSERT_EQ(host[i], fetched || strategy->shares_memory() ? 1 : 2) << i;
  }
  strategy->release(queue, buffer);
  device().destroy_queue(queue);
}

TEST_P(EveryStrategy, ThrowsOutOfMemoryAndHoldsNothing) {
  const Queue queue = device().create_queue();
  EXPECT_THROW(strategy->acquire(queue, std::size_t{1} << 50), OutOfMemory);
  EXPECT_EQ(strategy->stats().live_bytes, 0u);
  const Buffer nothing = strategy->acquire(queue, 0);
  EXPECT_EQ(nothing.device, nullptr);
  strategy->release(queue, nothing);
  device().destroy_queue(queue);
}

TEST_P(EveryStrategy, DetectsMisuse) {
  test::CaughtMisuse caught;
  Resource& memory = strategy->memory();
  void* block = memory.allocate_sync(1000);
  memory.deallocate_sync(block, 1001);
  EXPECT_EQ(caught.kinds(), std::vector<Misuse>{Misuse::wrong_size});
  memory.deallocate_sync(block, 1000);
  memory.deallocate_sync(block, 1000);
  const auto kinds = caught.kinds();
  ASSERT_EQ(kinds.size(), 1u);
  EXPECT_TRUE(kinds[0] == Misuse::double_free || kinds[0] == Misuse::foreign);
  memory.allocate_sync(1000);
  strategy.reset();
  EXPECT_EQ(caught.kinds(), std::vector<Misuse>{Misuse::leak});
}

TEST(Strategies, ErrorForUnknownNameListsAvailableOnes) {
  HostDeviceSettings settings;
  settings.managed = false;
  HostDevice device(settings);
  for (const char* name : {"managed", "", "unified", "unified-prefetch"}) {
    try {
      make_strategy(name, device);
      ADD_FAILURE() << name;
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(),
                "memory strategy \"" + std::string(name) +
                    "\" does not exist on host:0; available: \"map\", \"pooled\", \"zero-copy\", "
                    "\"cuda-async\"");
    }
  }
}

TEST(Strategies, MapAllocatesForEachBatchAndPooledOnce) {
  for (const auto& [name, allocations] : {std::pair{"map", 10u}, std::pair{"pooled", 1u}}) {
    HostDevice device;
    const auto strategy = make_strategy(name, device);
    const Queue queue = device.create_queue();
    for (int i = 0; i < 10; ++i)
      strategy->release(queue, strategy->acquire(queue, 1 << 20, HostWindow::none));
    EXPECT_EQ(device.allocations(), allocations) << name;
    device.destroy_queue(queue);
  }
}

}  // namespace
}  // namespace meander::gpu
