// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Stress of the memory cache: many threads, several queues and random failures. Also run under
// ThreadSanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <random>
#include <thread>
#include <unordered_map>
#include <vector>

#include "gpu/host_device.hpp"
#include "gpu/memory_cache.hpp"

namespace meander::gpu {
namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int default_operations = 20'000;
#else
constexpr int default_operations = 200'000;
#endif

// Number of operations per thread; MEANDER_STRESS_OPERATIONS=1000000 is the full length.
int operations() {
  const char* text = std::getenv("MEANDER_STRESS_OPERATIONS");
  return text != nullptr ? std::atoi(text) : default_operations;
}

constexpr int threads = 32;

// Owners of blocks. Detects blocks that are allocated twice.
class Owners {
 public:
  void take(void* pointer, int owner) {
    EXPECT_EQ(slot(pointer).exchange(owner + 1), 0) << "a block was allocated twice";
  }
  void release(void* pointer, int owner) { EXPECT_EQ(slot(pointer).exchange(0), owner + 1); }

 private:
  // Blocks begin in different pages.
  std::atomic<int>& slot(void* pointer) {
    return slots_[(reinterpret_cast<std::uintptr_t>(pointer) >> 12) % slots_.size()];
  }
  std::vector<std::atomic<int>> slots_ = std::vector<std::atomic<int>>(1 << 22);
};

TEST(CacheStress, StaysValidWithManyThreadsAndFailures) {
  HostDeviceSettings settings;
  settings.capacity = std::size_t{192} << 20;
  settings.allocation_failures = 0.05;
  HostDevice device(settings);
  CacheTraits traits;
  traits.keep = std::size_t{16} << 20;
  traits.trim_after = std::chrono::milliseconds(200);
  traits.deadline = std::chrono::milliseconds(20);
  std::atomic<long> refused{0};
  const int count = operations();
  {
    MemoryCache cache(device, Space::device, traits);
    Owners owners;
    std::vector<std::thread> team;
    for (int t = 0; t < threads; ++t) {
      team.emplace_back([&, t] {
        std::minstd_rand engine(static_cast<unsigned>(1 + t));
        struct Held {
          void* pointer;
          std::size_t bytes;
        };
        std::vector<Held> held;
        for (int i = 0; i < count; ++i) {
          const bool free_one = !held.empty() && (held.size() > 6 || engine() % 2 == 0);
          if (free_one) {
            std::swap(held[engine() % held.size()], held.back());
            owners.release(held.back().pointer, t);
            cache.deallocate_sync(held.back().pointer, held.back().bytes);
            held.pop_back();
          } else {
            const std::size_t bytes = std::size_t{40'000} << engine() % 6;
            if (void* pointer = cache.try_allocate(Queue{}, bytes)) {
              owners.take(pointer, t);
              held.push_back({pointer, bytes});
            } else {
              ++refused;
            }
          }
          if (i % 5000 == 17) cache.maintain();
          if (i % 20'000 == 19'999) cache.trim(std::size_t{8} << 20);
        }
        for (const Held& block : held) {
          owners.release(block.pointer, t);
          cache.deallocate_sync(block.pointer, block.bytes);
        }
      });
    }
    for (auto& thread : team) thread.join();
    EXPECT_TRUE(cache.is_valid());
    const Stats stats = cache.stats();
    EXPECT_GT(stats.allocations, static_cast<std::size_t>(count) * threads / 4);
    EXPECT_EQ(stats.live_bytes, 0u);
    EXPECT_EQ(stats.failures, static_cast<std::size_t>(refused.load()));
    EXPECT_LE(stats.peak_held_bytes, settings.capacity);
    EXPECT_EQ(stats.held_bytes, settings.capacity - device.available());
    EXPECT_EQ(stats.device_allocations - stats.device_releases > 0, stats.held_bytes > 0);
  }
  EXPECT_EQ(device.available(), settings.capacity);
}

// Each kernel writes its block; a later kernel of the same queue checks that no other kernel wrote to it.
TEST(CacheStress, BlocksInFlightKeepTheirContents) {
  HostDeviceSettings settings;
  settings.capacity = std::size_t{4} << 20;
  HostDevice device(settings);
  MemoryCache cache(device, Space::device);
  constexpr int workers = 8;
  const int rounds = operations() / 400;
  std::atomic<int> damaged{0}, refused{0};
  std::vector<std::thread> team;
  for (int t = 0; t < workers; ++t) {
    team.emplace_back([&, t] {
      const Queue queue = device.create_queue();
      std::minstd_rand engine(static_cast<unsigned>(100 + t));
      for (int i = 0; i < rounds; ++i) {
        const std::size_t count = std::size_t{8192} << engine() % 4;
        auto* block = static_cast<int*>(cache.try_allocate(queue, count * sizeof(int)));
        if (block == nullptr) {
          ++refused;
          continue;
        }
        const int value = t * 1'000'000 + i;
        device.launch(queue, "write", [=](const Execution& execution) {
          int* items = execution.address(block, count);
          items[0] = items[count / 2] = items[count - 1] = value;
        });
        device.launch(queue, "check", [=, &damaged](const Execution& execution) {
          const int* items = execution.address(block, count);
          if (items[0] != value || items[count / 2] != value || items[count - 1] != value) ++damaged;
        });
        cache.deallocate(queue, block, count * sizeof(int));
        if (i % 64 == 63) device.synchronize(queue);
      }
      device.synchronize(queue);
      device.destroy_queue(queue);
    });
  }
  for (auto& thread : team) thread.join();
  EXPECT_TRUE(cache.is_valid());
  EXPECT_EQ(damaged, 0);
  EXPECT_EQ(refused, 0) << "all uses are submitted before the next allocation, so none may fail";
  EXPECT_EQ(cache.stats().allocations, static_cast<std::size_t>(workers * rounds));
  EXPECT_GT(cache.stats().hits, 0u);
}

}  // namespace
}  // namespace meander::gpu
