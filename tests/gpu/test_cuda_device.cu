// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Kernels on a CUDA device, with queues, memory strategies and memory of the device interface.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <numeric>
#include <thread>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/memory_cache.hpp"
#include "gpu/strategy.hpp"

namespace meander::gpu {
namespace {

__global__ void twice(int* items, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) items[i] *= 2;
}

__global__ void touch(int* items) {
  items[0] = 1;
}

Work twice_all(int* items, int count) {
  return [=](const Execution& execution) {
    int* there = execution.address(items, static_cast<std::size_t>(count));
    twice<<<(count + 255) / 256, 256, 0, static_cast<cudaStream_t>(execution.native_queue())>>>(there, count);
  };
}

class Cuda : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = why_missing("cuda");
    if (!reason.empty()) GTEST_SKIP() << reason;
    devices = make_devices("cuda");
  }
  std::vector<std::unique_ptr<Device>> devices;
};

TEST_F(Cuda, KernelsUpdateBatchesWithEveryStrategy) {
  Device& device = *devices.front();
  for (const std::string& name : strategy_names()) {
    const bool managed = name.rfind("unified", 0) == 0;
    if ((managed && !device.properties().managed) || (name == "cuda-async" && !device.properties().ordered))
      continue;
    const auto strategy = make_strategy(name, device);
    std::vector<std::thread> team;
    for (int t = 0; t < 4; ++t) {
      team.emplace_back([&, t] {
        const Queue queue = device.create_queue();
        for (int i = 0; i < 50; ++i) {
          const int count = 1000 + i % 5 * 30'000;
          const Buffer buffer = strategy->acquire(queue, static_cast<std::size_t>(count) * sizeof(int));
          auto* host = static_cast<int*>(buffer.host);
          std::iota(host, host + count, 1000 * t + i);
          strategy->send(queue, buffer, 0, buffer.bytes);
          device.launch(queue, "twice", twice_all(static_cast<int*>(buffer.device), count));
          strategy->fetch(queue, buffer, 0, buffer.bytes);
          device.wait(device.record(queue));
          for (int k = 0; k < count; ++k) ASSERT_EQ(host[k], 2 * (1000 * t + i + k)) << name;
          strategy->release(queue, buffer);
        }
        device.destroy_queue(queue);
      });
    }
    for (auto& thread : team) thread.join();
  }
}

TEST_F(Cuda, BlocksInFlightKeepTheirContents) {
  Device& device = *devices.front();
  MemoryCache cache(device, Space::device);
  std::vector<std::thread> team;
  for (int t = 0; t < 8; ++t) {
    team.emplace_back([&, t] {
      const Queue queue = device.create_queue();
      const int count = 10'000;
      const std::size_t bytes = count * sizeof(int);
      std::vector<int> in(count, t + 1), out(count);
      for (int i = 0; i < 200; ++i) {
        auto* block = static_cast<int*>(cache.allocate(queue, bytes));
        device.copy(queue, Copy::in, block, in.data(), bytes);
        device.launch(queue, "twice", twice_all(block, count));
        device.copy(queue, Copy::out, out.data(), block, bytes);
        cache.deallocate(queue, block, bytes);
        if (i % 10 == 9) {
          device.synchronize(queue);
          ASSERT_EQ(out, std::vector<int>(count, 2 * (t + 1)));
        }
      }
      device.destroy_queue(queue);
    });
  }
  for (auto& thread : team) thread.join();
  EXPECT_LE(cache.stats().device_allocations, 16u);
}

// Runs in a child process, because the lost device cannot be used again in the same process.
TEST_F(Cuda, IllegalAccessLosesTheDevice) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        const auto own = make_devices("cuda");
        Device& device = *own.front();
        const Queue queue = device.create_queue();
        device.launch(queue, "touch", [](const Execution& execution) {
          touch<<<1, 1, 0, static_cast<cudaStream_t>(execution.native_queue())>>>(nullptr);
        });
        bool lost = false;
        try {
          device.synchronize(queue);
        } catch (const DeviceError& error) {
          lost = error.lost;
        }
        _exit(lost && device.lost() ? 7 : 1);
      },
      ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace meander::gpu
