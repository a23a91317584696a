// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Memory cache: reuse, order of queues, trimming and slack.
#include "gpu/memory_cache.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <random>
#include <thread>

#include "gpu/host_device.hpp"
#include "tests/gpu/units.hpp"

namespace meander::gpu {
namespace {

TEST(SizeClass, ExceedsTheRequestByAnEighthAtMost) {
  for (int i = 0; i + 1 < size_classes; ++i) {
    ASSERT_LT(class_bytes(i), class_bytes(i + 1));
    ASSERT_EQ(size_class(class_bytes(i)), i);
    ASSERT_EQ(size_class(class_bytes(i) + 1), i + 1);
  }
  EXPECT_EQ(size_class(1), 0);
  EXPECT_EQ(class_bytes(size_classes - 1), largest_class_bytes);
  std::mt19937_64 engine(3);
  for (int i = 0; i < 100'000; ++i) {
    const std::size_t bytes = 256 + (engine() >> (17 + engine() % 40));
    const std::size_t held = class_bytes(size_class(bytes));
    ASSERT_GE(held, bytes);
    ASSERT_LE(held - bytes, bytes / 8 + 1);
  }
}

TEST(MemoryCacheQuick, ReusesDeallocatedBlocks) {
  HostDevice device;
  MemoryCache cache(device, Space::device);
  void* first = cache.allocate_sync(40 * kib);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 256, 0u);
  cache.deallocate_sync(first, 40 * kib);
  void* second = cache.allocate_sync(39 * kib);
  EXPECT_EQ(second, first);
  void* third = cache.allocate_sync(40 * kib);
  EXPECT_NE(third, first);
  const Stats stats = cache.stats();
  EXPECT_EQ(stats.live_bytes, 79 * kib);
  EXPECT_EQ(stats.fragmentation_bytes, kib);
  EXPECT_EQ(stats.held_bytes, 80 * kib);
  EXPECT_EQ(stats.allocations, 3u);
  EXPECT_EQ(stats.hits, 1u);
  EXPECT_EQ(stats.device_allocations, 2u);
  EXPECT_EQ(device.allocations(), 2u);
  EXPECT_EQ(stats.while_busy, 0u);
  cache.deallocate_sync(second, 39 * kib);
  cache.deallocate_sync(third, 40 * kib);
  EXPECT_EQ(cache.stats().live_bytes, 0u);
  EXPECT_EQ(cache.place(), (Place{Space::device, 0}));
}

TEST(MemoryCacheQuick, ZeroBytesGiveNullAndNullIsIgnored) {
  HostDevice device;
  MemoryCache cache(device, Space::device);
  EXPECT_EQ(cache.allocate_sync(0), nullptr);
  EXPECT_EQ(cache.try_allocate(Queue{}, 0), nullptr);
  cache.deallocate_sync(nullptr, 0);
  cache.deallocate_sync(nullptr, 100);
  EXPECT_EQ(cache.stats().allocations, 0u);
}

TEST(MemoryCacheQuick, FailedHugeAllocationReleasesNoMemory) {
  HostDevice device;
  MemoryCache cache(device, Space::device);
  cache.deallocate_sync(cache.allocate_sync(mib), mib);
  for (const std::size_t bytes : {std::size_t{1} << 50, ~std::size_t{0}, std::size_t{1} << 47}) {
    try {
      cache.allocate_sync(bytes);
      ADD_FAILURE() << bytes;
    } catch (const OutOfMemory& error) {
      EXPECT_EQ(error.requested, bytes);
      EXPECT_EQ(error.in_use, 0u);
      EXPECT_EQ(error.idle, mib);
      EXPECT_EQ(error.quota, device.properties().memory);
      EXPECT_EQ(error.place, cache.place());
    }
    EXPECT_EQ(cache.try_allocate(Queue{}, bytes), nullptr);
  }
  EXPECT_EQ(cache.stats().held_bytes, mib);
  EXPECT_EQ(cache.stats().failures, 6u);
}

TEST(MemoryCacheQuick, AlignsBlocksToTheAlignmentOfItsTraits) {
  HostDevice device;
  CacheTraits traits;
  traits.alignment = 64 * kib;
  MemoryCache cache(device, Space::device, traits);
  void* first = cache.allocate_sync(1000, 64 * kib);
  void* second = cache.allocate_sync(1000, 512);
  for (void* pointer : {first, second}) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pointer) % (64 * kib), 0u);
  EXPECT_THROW(cache.allocate_sync(1000, 128 * kib), DeviceError);
  cache.deallocate_sync(first, 1000, 64 * kib);
  cache.deallocate_sync(second, 1000, 512);
}

// ---- order of queues

class Gate {
 public:
  explicit Gate(Device& device) : device_(device), queue_(device.create_queue()) {}
  ~Gate() {
    open();
    device_.destroy_queue(queue_);
  }
  Queue queue() const { return queue_; }
  // Operations submitted afterwards wait until the gate is opened.
  void shut() {
    device_.call_host(queue_, [this] {
      while (!open_) std::this_thread::yield();
    });
  }
  void open() { open_ = true; }

 private:
  Device& device_;
  const Queue queue_;
  std::atomic<bool> open_{false};
};

TEST(MemoryCacheQuick, BlockInFlightIsReusedByItsQueueOnly) {
  HostDevice device;
  MemoryCache cache(device, Space::device);
  Gate gate(device);
  const Queue other = device.create_queue();
  void* block = cache.allocate(gate.queue(), mib);
  gate.shut();
  cache.deallocate(gate.queue(), block, mib);
  void* of_other = cache.allocate(other, mib);
  void* of_none = cache.allocate_sync(mib);
  EXPECT_NE(of_other, block);
  EXPECT_NE(of_none, block);
  EXPECT_EQ(cache.stats().while_busy, 2u);
  EXPECT_EQ(cache.allocate(gate.queue(), mib), block);
  cache.deallocate(gate.queue(), block, mib);
  gate.open();
  device.settle(mark(gate.queue()));
  EXPECT_EQ(cache.allocate_sync(mib), block);
  for (void* pointer : {block, of_other, of_none}) cache.deallocate_sync(pointer, mib);
  device.destroy_queue(other);
}

TEST(MemoryCacheQuick, ReusesBlocksOfDestroyedQueues) {
  HostDevice device;
  MemoryCache cache(device, Space::device);
  const Queue queue = device.create_queue();
  void* block = cache.allocate(queue, mib);
  cache.deallocate(queue, block, mib);
  device.destroy_queue(queue);
  EXPECT_EQ(cache.allocate_sync(mib), block);
  cache.deallocate_sync(block, mib);
}

// ---- release of memory

TEST(MemoryCacheQuick, TrimsTheLeastRecentlyUsedFirst) {
  HostDevice device;
  MemoryCache cache(device, Space::device);
  const std::size_t sizes[] = {mib, 2 * mib, 4 * mib};
  void* blocks[3];
  for (int i = 0; i < 3; ++i) blocks[i] = cache.allocate_sync(sizes[i]);
  for (const int i : {1, 2, 0}) {
    cache.deallocate_sync(blocks[i], sizes[i]);
    std::this_thread::sleep_for(std::chrono::milliseconds(15));  // the clock is coarse
  }
  EXPECT_EQ(cache.trim(5 * mib), 2 * mib);
  EXPECT_EQ(cache.trim(5 * mib), 0u);
  EXPECT_EQ(cache.trim(2 * mib), 4 * mib);
  EXPECT_EQ(cache.stats().held_bytes, mib);
  EXPECT_EQ(cache.stats().trimmed, 2u);
  EXPECT_EQ(cache.allocate_sync(mib), blocks[0]);
  cache.deallocate_sync(blocks[0], mib);
  EXPECT_EQ(cache.trim(), mib);
  EXPECT_EQ(device.available(), device.properties().memory);
}

TEST(MemoryCacheQuick, MaintainReleasesBlocksIdleForLong) {
  HostDevice device;
  CacheTraits traits;
  traits.trim_after = std::chrono::milliseconds(100);
  MemoryCache cache(device, Space::device, traits);
  void* held = cache.allocate_sync(2 * mib);
  cache.deallocate_sync(cache.allocate_sync(mib), mib);
  EXPECT_EQ(cache.maintain(), 0u);
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  EXPECT_EQ(cache.maintain(), mib);
  EXPECT_EQ(cache.stats().held_bytes, 2 * mib);
  cache.deallocate_sync(held, 2 * mib);
}

TEST(MemoryCacheQuick, BlocksInFlightAreNotReleased) {
  HostDevice device;
  MemoryCache cache(device, Space::device);
  Gate gate(device);
  void* block = cache.allocate(gate.queue(), mib);
  gate.shut();
  cache.deallocate(gate.queue(), block, mib);
  EXPECT_EQ(cache.trim(), 0u);
  gate.open();
  device.settle(mark(gate.queue()));
  EXPECT_EQ(cache.trim(), mib);
}

TEST(MemoryCacheQuick, HoldsNoMoreThanSlackAllows) {
  HostDevice device;
  CacheTraits traits;
  traits.keep = 0;
  MemoryCache cache(device, Space::device, traits);
  // One size after the other: blocks of earlier sizes must not accumulate.
  for (int size = 1; size <= 32; ++size) {
    const std::size_t bytes = static_cast<std::size_t>(size) * 100 * kib;
    std::vector<void*> blocks;
    for (int i = 0; i < 20; ++i) blocks.push_back(cache.allocate_sync(bytes));
    for (void* block : blocks) cache.deallocate_sync(block, bytes);
    const Stats stats = cache.stats();
    // Upper bound: slack times the peak, and one block of the size class.
    EXPECT_LE(stats.peak_held_bytes, 1.2 * double(stats.peak_bytes) + double(class_bytes(size_class(bytes))));
  }
  EXPECT_GT(cache.stats().evictions, 0u);
}

}  // namespace
}  // namespace meander::gpu
