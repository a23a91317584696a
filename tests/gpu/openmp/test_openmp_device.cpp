// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Target regions on OpenMP devices, with queues, memory strategies and memory of the device interface.
#include <gtest/gtest.h>
#include <omp.h>

#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "gpu/memory_cache.hpp"
#include "gpu/strategy.hpp"

namespace meander::gpu {
namespace {

void twice(int* items, int count, int device) {
#pragma omp target teams distribute parallel for is_device_ptr(items) device(device)
  for (int i = 0; i < count; ++i) items[i] *= 2;
}

Work twice_all(int* items, int count) {
  return [=](const Execution& execution) {
    ASSERT_FALSE(execution.on_host());
    ASSERT_GE(execution.openmp_device(), 0);
    twice(execution.address(items, static_cast<std::size_t>(count)), count, execution.openmp_device());
  };
}

class OpenMp : public ::testing::Test {
 protected:
  void SetUp() override {
    devices = make_devices("openmp");
    ASSERT_FALSE(devices.empty());
  }
  Device& device() { return *devices.front(); }
  std::vector<std::unique_ptr<Device>> devices;
};

TEST_F(OpenMp, PropertiesDescribeTheDevice) {
  const DeviceProperties& properties = device().properties();
  EXPECT_EQ(properties.kind, "openmp");
  if (omp_get_num_devices() == 0) {
    EXPECT_EQ(properties.name, "openmp: host fallback");
    EXPECT_EQ(devices.size(), 1u);
  } else {
    EXPECT_EQ(properties.name, "openmp:0");
    EXPECT_EQ(devices.size(), static_cast<std::size_t>(omp_get_num_devices()));
  }
  EXPECT_FALSE(properties.managed);
  EXPECT_FALSE(properties.ordered);
}

TEST_F(OpenMp, TargetRegionsUpdateBatchesWithEverySupportedStrategy) {
  for (const std::string& name : strategy_names()) {
    std::unique_ptr<Strategy> strategy;
    try {
      strategy = make_strategy(name, device());
    } catch (const InputError& error) {
      EXPECT_TRUE(name.starts_with("unified") || name == "cuda-async" ||
                  (name == "zero-copy" && omp_get_num_devices() > 0))
          << name;
      EXPECT_NE(std::string(error.what()).find("\"map\", \"pooled\""), std::string::npos) << error.what();
      continue;
    }
    std::vector<std::thread> team;
    for (int t = 0; t < 4; ++t) {
      team.emplace_back([&, t] {
        const Queue queue = device().create_queue();
        for (int i = 0; i < 20; ++i) {
          const int count = 1000 + i % 5 * 3000;
          const Buffer buffer = strategy->acquire(queue, static_cast<std::size_t>(count) * sizeof(int));
          auto* host = static_cast<int*>(buffer.host);
          std::iota(host, host + count, 1000 * t + i);
          strategy->send(queue, buffer, 0, buffer.bytes);
          device().launch(queue, "twice", twice_all(static_cast<int*>(buffer.device), count));
          strategy->fetch(queue, buffer, 0, buffer.bytes);
          device().wait(device().record(queue));
          for (int k = 0; k < count; ++k) ASSERT_EQ(host[k], 2 * (1000 * t + i + k)) << name;
          strategy->release(queue, buffer);
        }
        device().destroy_queue(queue);
      });
    }
    for (auto& thread : team) thread.join();
  }
}

TEST_F(OpenMp, BlocksInFlightKeepTheirContents) {
  MemoryCache cache(device(), Space::device);
  std::vector<std::thread> team;
  for (int t = 0; t < 4; ++t) {
    team.emplace_back([&, t] {
      const Queue queue = device().create_queue();
      const int count = 10'000;
      const std::size_t bytes = count * sizeof(int);
      std::vector<int> in(count, t + 1), out(count);
      for (int i = 0; i < 50; ++i) {
        auto* block = static_cast<int*>(cache.allocate(queue, bytes));
        device().copy(queue, Copy::in, block, in.data(), bytes);
        device().launch(queue, "twice", twice_all(block, count));
        device().copy(queue, Copy::out, out.data(), block, bytes);
        cache.deallocate(queue, block, bytes);
        if (i % 10 == 9) {
          device().synchronize(queue);
          ASSERT_EQ(out, std::vector<int>(count, 2 * (t + 1)));
        }
      }
      device().destroy_queue(queue);
    });
  }
  for (auto& thread : team) thread.join();
  EXPECT_LE(cache.stats().device_allocations, 8u);
}

TEST_F(OpenMp, FailureBlocksItsQueueUntilSynchronized) {
  const Queue queue = device().create_queue();
  device().launch(queue, "fails", [](const Execution&) { throw std::runtime_error("no such thing"); });
  bool ran = false;
  EXPECT_THROW(
      {
        device().call_host(queue, [&] { ran = true; });
        device().synchronize(queue);
      },
      DeviceError);
  EXPECT_FALSE(ran);
  device().call_host(queue, [&] { ran = true; });
  device().synchronize(queue);
  EXPECT_TRUE(ran);
  EXPECT_FALSE(device().lost());
  device().destroy_queue(queue);
}

TEST_F(OpenMp, MemoryIsCountedAndAligned) {
  const std::size_t before = device().available();
  void* block = device().allocate(Space::device, 1000);
  EXPECT_EQ(reinterpret_cast<std::size_t>(block) % 256, 0u);
  EXPECT_EQ(device().available(), before - 1000);
  EXPECT_THROW(device().allocate(Space::device, device().available() + 1), OutOfMemory);
  EXPECT_THROW(device().allocate(Space::managed, 1000), DeviceError);
  device().deallocate(Space::device, block);
  EXPECT_EQ(device().available(), before);
}

}  // namespace
}  // namespace meander::gpu
