// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Slow path of the memory cache, step by step.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "gpu/host_device.hpp"
#include "gpu/memory_cache.hpp"
#include "tests/gpu/units.hpp"

namespace meander::gpu {
namespace {

class CacheSlowPath : public ::testing::Test {
 protected:
  static HostDeviceSettings eight_mebibytes() {
    HostDeviceSettings settings;
    settings.capacity = 8 * mib;
    return settings;
  }
  static CacheTraits patient(int milliseconds) {
    CacheTraits traits;
    traits.deadline = std::chrono::milliseconds(milliseconds);
    return traits;
  }
  static double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  HostDevice device{eight_mebibytes()};
};

TEST_F(CacheSlowPath, ReusesIdleBlocksOfOtherThreads) {
  MemoryCache cache(device, Space::device);
  void* block = nullptr;
  std::thread([&] {
    void* mine = cache.allocate_sync(mib);
    block = cache.allocate_sync(mib);
    cache.deallocate_sync(block, mib);
    cache.deallocate_sync(mine, mib);
  }).join();
  // Two threads, because one of them may reuse the number, and hence the shard, of the ended thread.
  std::vector<std::thread> others;
  std::atomic<int> found{0};
  std::vector<void*> blocks(4);
  for (std::size_t i = 0; i < 2; ++i) {
    others.emplace_back([&, i] {
      blocks[i] = cache.allocate_sync(mib);
      ++found;
      while (found < 2) std::this_thread::yield();
    });
  }
  for (auto& thread : others) thread.join();
  EXPECT_EQ(cache.stats().device_allocations, 2u);
  EXPECT_EQ(cache.stats().hits, 2u);
  EXPECT_GE(cache.stats().from_other_threads, 1u);
  for (std::size_t i = 0; i < 2; ++i) cache.deallocate_sync(blocks[i], mib);
}

TEST_F(CacheSlowPath, EvictsIdleBlocksOfOtherSizes) {
  MemoryCache cache(device, Space::device);
  std::vector<void*> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(cache.allocate_sync(mib));
  for (void* block : blocks) cache.deallocate_sync(block, mib);
  void* large = cache.allocate_sync(5 * mib);
  EXPECT_EQ(cache.stats().evictions, 5u) << "no more than required";
  EXPECT_EQ(cache.stats().held_bytes, 8 * mib);
  cache.deallocate_sync(large, 5 * mib);
}

TEST_F(CacheSlowPath, PrefersALargerBlockToEviction) {
  MemoryCache cache(device, Space::device);
  void* block = cache.allocate_sync(8 * mib);
  cache.deallocate_sync(block, 8 * mib);
  EXPECT_EQ(cache.allocate_sync(7 * mib), block);
  EXPECT_EQ(cache.stats().fragmentation_bytes, mib);
  EXPECT_EQ(cache.stats().evictions, 0u);
  cache.deallocate_sync(block, 7 * mib);
}

TEST_F(CacheSlowPath, QueuesWaitForBlocksInFlight) {
  MemoryCache cache(device, Space::device);
  const Queue first = device.create_queue(), second = device.create_queue();
  std::atomic<bool> open{false};
  void* block = cache.allocate(first, 8 * mib);
  std::vector<int> order;
  device.call_host(first, [&] {
    while (!open) std::this_thread::yield();
    order.push_back(1);
  });
  cache.deallocate(first, block, 8 * mib);
  EXPECT_EQ(cache.allocate(second, 8 * mib), block) << "immediately, although the first queue still uses it";
  device.call_host(second, [&] { order.push_back(2); });
  EXPECT_EQ(cache.stats().queue_waits, 1u);
  open = true;
  device.synchronize(second);
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
  cache.deallocate(second, block, 8 * mib);
  device.destroy_queue(first);
  device.destroy_queue(second);
}

TEST_F(CacheSlowPath, ThreadsWaitForBlocksInFlight) {
  MemoryCache cache(device, Space::device, patient(60'000));
  const Queue queue = device.create_queue();
  void* block = cache.allocate(queue, 8 * mib);
  device.call_host(queue, [] { std::this_thread::sleep_for(std::chrono::milliseconds(100)); });
  cache.deallocate(queue, block, 8 * mib);
  void* other = cache.allocate_sync(2 * mib);
  EXPECT_GE(cache.stats().waited, 0.05);
  EXPECT_EQ(cache.stats().splits, 1u);
  cache.deallocate_sync(other, 2 * mib);
  device.destroy_queue(queue);
}

TEST_F(CacheSlowPath, DeadlineEndsTheWaitWithOutOfMemory) {
  MemoryCache cache(device, Space::device, patient(100));
  const Queue queue = device.create_queue();
  std::atomic<bool> open{false};
  void* in_flight = cache.allocate(queue, 5 * mib);
  void* live = cache.allocate(queue, 2 * mib);
  device.call_host(queue, [&] {
    while (!open) std::this_thread::yield();
  });
  cache.deallocate(queue, in_flight, 5 * mib);
  const auto begin = std::chrono::steady_clock::now();
  try {
    cache.allocate_sync(4 * mib);
    ADD_FAILURE();
  } catch (const OutOfMemory& error) {
    EXPECT_EQ(error.requested, 4 * mib);
    EXPECT_EQ(error.in_use, 2 * mib);
    EXPECT_EQ(error.idle, 5 * mib);
    EXPECT_EQ(error.quota, 8 * mib);
    EXPECT_NE(std::string(error.what()).find("device memory on device 0"), std::string::npos) << error.what();
  }
  EXPECT_GE(seconds_since(begin), 0.1);
  open = true;
  device.settle(mark(queue));
  void* now = cache.allocate_sync(4 * mib);
  cache.deallocate_sync(now, 4 * mib);
  cache.deallocate_sync(live, 2 * mib);
  device.destroy_queue(queue);
}

TEST_F(CacheSlowPath, DoesNotWaitForLiveBlocks) {
  MemoryCache cache(device, Space::device, patient(60'000));
  void* block = cache.allocate_sync(8 * mib);
  EXPECT_THROW(cache.allocate_sync(mib), OutOfMemory);
  EXPECT_EQ(cache.try_allocate(Queue{}, mib), nullptr);
  EXPECT_EQ(cache.stats().failures, 2u);
  EXPECT_EQ(cache.stats().waited, 0.0);
  cache.deallocate_sync(block, 8 * mib);
}

TEST_F(CacheSlowPath, DeviceErrorIsNotOutOfMemory) {
  MemoryCache cache(device, Space::device);
  void* block = cache.allocate_sync(mib);
  device.die();
  EXPECT_THROW(cache.allocate_sync(2 * mib), DeviceError);
  cache.deallocate_sync(block, mib);
  EXPECT_EQ(cache.stats().held_bytes, mib);
}

TEST_F(CacheSlowPath, RetriesAfterASpuriousFailure) {
  HostDeviceSettings settings;
  settings.failing_allocation = 2;
  HostDevice failing(settings);
  MemoryCache cache(failing, Space::device);
  cache.deallocate_sync(cache.allocate_sync(mib), mib);
  void* block = cache.allocate_sync(2 * mib);
  EXPECT_EQ(failing.allocations(), 3u);
  EXPECT_EQ(cache.stats().failures, 0u);
  cache.deallocate_sync(block, 2 * mib);
}

}  // namespace
}  // namespace meander::gpu
