// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Memory cache: splitting and coalescing of blocks.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "gpu/host_device.hpp"
#include "gpu/memory_cache.hpp"
#include "tests/gpu/caught_misuse.hpp"
#include "tests/gpu/units.hpp"

namespace meander::gpu {
namespace {

CacheTraits no_more_than(std::size_t limit) {
  CacheTraits traits;
  traits.limit = limit;
  traits.deadline = std::chrono::milliseconds(0);
  return traits;
}

TEST(CacheSplit, LargerBlockServesSmallerAllocationsWithoutTheDevice) {
  HostDevice device;
  MemoryCache cache(device, Space::device, no_more_than(8 * mib));
  auto* whole = static_cast<char*>(cache.allocate_sync(8 * mib));
  cache.deallocate_sync(whole, 8 * mib);
  std::vector<char*> parts;
  for (int i = 0; i < 4; ++i) parts.push_back(static_cast<char*>(cache.allocate_sync(2 * mib)));
  for (const char* part : parts) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(part) % 256, 0u);
    EXPECT_GE(part, whole);
    EXPECT_LE(part + 2 * mib, whole + 8 * mib);
    for (const char* other : parts)
      EXPECT_TRUE(part == other || part + 2 * mib <= other || other + 2 * mib <= part);
  }
  EXPECT_THROW(cache.allocate_sync(2 * mib), OutOfMemory);
  EXPECT_EQ(cache.stats().splits, 3u);
  EXPECT_EQ(cache.stats().held_bytes, 8 * mib);
  EXPECT_EQ(cache.stats().live_bytes, 8 * mib);
  for (char* part : parts) cache.deallocate_sync(part, 2 * mib);
  EXPECT_TRUE(cache.is_valid());
  EXPECT_EQ(cache.allocate_sync(8 * mib), whole);
  EXPECT_EQ(device.allocations(), 1u);
  cache.deallocate_sync(whole, 8 * mib);
}

TEST(CacheSplit, LivePartPreventsReleaseOfItsBlock) {
  HostDevice device;
  MemoryCache cache(device, Space::device, no_more_than(8 * mib));
  cache.deallocate_sync(cache.allocate_sync(8 * mib), 8 * mib);
  void* part = cache.allocate_sync(3 * mib);
  EXPECT_EQ(cache.trim(), 0u);
  EXPECT_THROW(cache.allocate_sync(8 * mib), OutOfMemory);
  cache.deallocate_sync(part, 3 * mib);
  EXPECT_EQ(cache.trim(), 8 * mib);
  EXPECT_EQ(cache.stats().held_bytes, 0u);
  EXPECT_EQ(device.deallocations(), 1u);
}

TEST(CacheSplit, PartsAreAtLeastAQuarterOfTheDeviceBlock) {
  HostDevice device;
  MemoryCache cache(device, Space::device, no_more_than(8 * mib));
  cache.deallocate_sync(cache.allocate_sync(8 * mib), 8 * mib);
  void* small = cache.allocate_sync(mib);
  EXPECT_EQ(cache.stats().splits, 0u);
  EXPECT_EQ(cache.stats().evictions, 1u) << "the block is released to the device instead";
  cache.deallocate_sync(small, mib);
}

// Neighbouring classes below 2 KiB differ by less than the smallest block: such a block is not split.
TEST(CacheSplit, SmallBlocksAreSplitOnlyIfBothPartsAreBlocks) {
  std::size_t splits = 0;
  for (const std::size_t alignment : {std::size_t{256}, kib}) {
    for (int parent = 0; parent < 34; ++parent) {
      for (int wanted = 0; wanted < parent; ++wanted) {
        HostDevice device;
        CacheTraits traits = no_more_than(class_bytes(parent) + (alignment > 256 ? alignment : 0));
        traits.alignment = alignment;
        MemoryCache cache(device, Space::device, traits);
        cache.deallocate_sync(cache.allocate_sync(class_bytes(parent)), class_bytes(parent));
        void* part = cache.allocate_sync(class_bytes(wanted));
        ASSERT_NE(part, nullptr);
        EXPECT_TRUE(cache.is_valid()) << class_bytes(parent) << " for " << class_bytes(wanted);
        splits += cache.stats().splits;
        cache.deallocate_sync(part, class_bytes(wanted));
        EXPECT_TRUE(cache.is_valid());
      }
    }
  }
  EXPECT_GT(splits, 100u);
}

TEST(CacheSplit, PartsOfBlocksInFlightKeepQueueOrder) {
  HostDevice device;
  MemoryCache cache(device, Space::device, no_more_than(8 * mib));
  const Queue queue = device.create_queue();
  std::atomic<bool> open{false};
  void* whole = cache.allocate(queue, 8 * mib);
  device.call_host(queue, [&] {
    while (!open) std::this_thread::yield();
  });
  cache.deallocate(queue, whole, 8 * mib);
  void* part = cache.allocate(queue, 2 * mib);
  EXPECT_EQ(part, whole) << "the same queue may use it immediately";
  EXPECT_EQ(cache.try_allocate(Queue{}, 6 * mib), nullptr) << "the rest is still in flight for others";
  open = true;
  device.synchronize(queue);
  void* rest = cache.try_allocate(Queue{}, 6 * mib);
  EXPECT_EQ(rest, static_cast<char*>(whole) + 2 * mib);
  cache.deallocate_sync(rest, 6 * mib);
  cache.deallocate(queue, part, 2 * mib);
  device.destroy_queue(queue);
}

TEST(CacheSplit, MisuseOfPartsIsDetected) {
  HostDevice device;
  test::CaughtMisuse caught;
  {
    MemoryCache cache(device, Space::device, no_more_than(8 * mib));
    auto* whole = static_cast<char*>(cache.allocate_sync(8 * mib));
    cache.deallocate_sync(whole, 8 * mib);
    auto* part = static_cast<char*>(cache.allocate_sync(2 * mib));
    cache.deallocate_sync(part, 8 * mib);
    EXPECT_EQ(caught.kinds(), std::vector<Misuse>{Misuse::wrong_size});
    cache.deallocate_sync(part + 256, 2 * mib);
    EXPECT_EQ(caught.kinds(), std::vector<Misuse>{Misuse::interior});
    cache.deallocate_sync(part, 2 * mib);
    cache.deallocate_sync(part, 2 * mib);
    EXPECT_EQ(caught.kinds(), std::vector<Misuse>{Misuse::double_free});
    cache.allocate_sync(2 * mib);
  }
  EXPECT_EQ(caught.kinds(), std::vector<Misuse>{Misuse::leak});
  EXPECT_EQ(device.deallocations(), 1u);
}

TEST(CacheSplit, MixOfSizesHoldsLittleMoreThanItsPeak) {
  HostDevice device;
  MemoryCache cache(device, Space::device);
  std::minstd_rand engine(7);
  struct Held {
    void* pointer = nullptr;
    std::size_t bytes = 0;
  };
  std::vector<Held> held(64);
  std::size_t live = 0, peak = 0;
  for (int i = 0; i < 40'000; ++i) {
    Held& block = held[engine() % held.size()];
    cache.deallocate_sync(block.pointer, block.bytes);
    live -= block.bytes;
    block.bytes = (std::size_t{64} << engine() % 8) * kib;
    block.pointer = cache.allocate_sync(block.bytes);
    live += block.bytes;
    peak = std::max(peak, live);
  }
  const Stats stats = cache.stats();
  EXPECT_LT(static_cast<double>(stats.peak_held_bytes), 1.3 * static_cast<double>(peak));
  EXPECT_GT(stats.hit_rate(), 0.99);
  EXPECT_GT(stats.splits, 0u);
  for (const Held& block : held) cache.deallocate_sync(block.pointer, block.bytes);
  EXPECT_TRUE(cache.is_valid());
  cache.trim();
  EXPECT_EQ(cache.stats().held_bytes, 0u);
}

}  // namespace
}  // namespace meander::gpu
