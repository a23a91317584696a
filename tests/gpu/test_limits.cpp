// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Limits, quotas and fallbacks of the memory cache.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "gpu/host_device.hpp"
#include "gpu/memory_cache.hpp"
#include "tests/gpu/units.hpp"

namespace meander::gpu {
namespace {

class Limits : public ::testing::Test {
 protected:
  static HostDeviceSettings eight_mebibytes() {
    HostDeviceSettings settings;
    settings.capacity = 8 * mib;
    return settings;
  }
  HostDevice device{eight_mebibytes()};
};

TEST_F(Limits, HeldBytesNeverExceedTheLimit) {
  CacheTraits traits;
  traits.limit = 3 * mib;
  MemoryCache cache(device, Space::device, traits);
  void* first = cache.allocate_sync(2 * mib);
  EXPECT_EQ(cache.available(), mib);
  try {
    cache.allocate_sync(2 * mib);
    ADD_FAILURE();
  } catch (const OutOfMemory& error) {
    EXPECT_EQ(error.quota, 3 * mib);
  }
  void* second = cache.allocate_sync(mib);
  EXPECT_THROW(cache.allocate_sync(256), OutOfMemory);
  cache.deallocate_sync(first, 2 * mib);
  void* third = cache.allocate_sync(256);
  EXPECT_LE(cache.stats().peak_held_bytes, 3 * mib);
  cache.deallocate_sync(second, mib);
  cache.deallocate_sync(third, 256);
}

// For a larger alignment than that of the device, the cache allocates more than it can use.
TEST_F(Limits, IncludePaddingForAlignment) {
  QuotaState state;
  SharedQuota quota(state, 4 * mib);
  CacheTraits traits;
  traits.alignment = mib;
  traits.limit = 5 * mib;
  traits.quota = &quota;
  {
    MemoryCache cache(device, Space::device, traits);
    void* first = cache.allocate_sync(mib);
    EXPECT_EQ(cache.stats().held_bytes, 8 * mib - device.available());
    EXPECT_EQ(quota.in_use(), 8 * mib - device.available());
    EXPECT_EQ(cache.trim(), 0u);
    void* second = cache.allocate_sync(mib);
    EXPECT_EQ(cache.try_allocate(Queue{}, mib), nullptr) << "three of these would exceed both";
    EXPECT_LE(8 * mib - device.available(), 4 * mib);
    cache.deallocate_sync(first, mib);
    cache.deallocate_sync(second, mib);
    EXPECT_TRUE(cache.is_valid());
    EXPECT_EQ(cache.trim(mib), 2 * mib);
    EXPECT_EQ(quota.in_use(), 2 * mib);
  }
  EXPECT_EQ(quota.in_use(), 0u);
  EXPECT_EQ(device.available(), 8 * mib);
}

TEST_F(Limits, CachesReleaseIdleMemoryForOthersOfTheQuota) {
  QuotaState state;
  SharedQuota quota(state, 4 * mib);
  CacheTraits traits;
  traits.deadline = std::chrono::seconds(30);
  traits.quota = &quota;
  {
    MemoryCache first(device, Space::device, traits), second(device, Space::device, traits);
    first.deallocate_sync(first.allocate_sync(3 * mib), 3 * mib);
    EXPECT_EQ(quota.in_use(), 3 * mib);
    // The second cache requests memory, and obtains it when the first one calls maintain().
    std::thread step([&] {
      std::size_t freed = 0;
      while (freed == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        freed = first.maintain();
      }
      EXPECT_EQ(freed, 3 * mib);
    });
    void* block = second.allocate_sync(2 * mib);
    step.join();
    EXPECT_EQ(quota.in_use(), 2 * mib);
    EXPECT_EQ(first.stats().held_bytes, 0u);
    EXPECT_THROW(first.allocate_sync(5 * mib), OutOfMemory);
    second.deallocate_sync(block, 2 * mib);
  }
  EXPECT_EQ(quota.in_use(), 0u);
}

// Another user gives its bytes back right after an allocation was rejected because of them: there is nobody to wait
// for any more, but memory enough.
TEST_F(Limits, QuotaThatIsReturnedAfterARejectionIsTaken) {
  struct ReturnedAfterARejection final : Quota {
    bool take(std::size_t bytes) noexcept override {
      if (others == 0) {
        own += bytes;
        return true;
      }
      if (++rejections == 2) others = 0;  // an allocation tries twice before it looks who holds the memory
      return false;
    }
    void give(std::size_t bytes) noexcept override { own -= bytes; }
    std::size_t in_use() const noexcept override { return own + others; }
    std::size_t limit() const noexcept override { return 4 * mib; }
    void ask() noexcept override {}
    std::uint64_t asked() const noexcept override { return 0; }
    std::size_t own = 0, others = 3 * mib;
    int rejections = 0;
  } quota;
  CacheTraits traits;
  traits.deadline = std::chrono::seconds(30);
  traits.quota = &quota;
  MemoryCache cache(device, Space::device, traits);
  void* block = cache.allocate_sync(2 * mib);
  EXPECT_EQ(quota.in_use(), 2 * mib);
  cache.deallocate_sync(block, 2 * mib);
}

TEST_F(Limits, ProcessesShareAQuota) {
  void* shared = mmap(nullptr, sizeof(QuotaState), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto* state = new (shared) QuotaState;
  SharedQuota quota(*state, 100);
  const pid_t child = fork();
  if (child == 0) _exit(quota.take(70) && !quota.take(70) ? 0 : 1);
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(quota.in_use(), 70u);
  EXPECT_FALSE(quota.take(31));
  munmap(shared, sizeof(QuotaState));
}

TEST_F(Limits, QuotasDoNotOverflow) {
  QuotaState state;
  SharedQuota quota(state, 100);
  EXPECT_FALSE(quota.take(~std::size_t{0}));
  EXPECT_TRUE(quota.take(60));
  EXPECT_FALSE(quota.take(41));
  EXPECT_FALSE(quota.take(~std::size_t{0} - 50));
  EXPECT_TRUE(quota.take(40));
  quota.give(100);
  EXPECT_EQ(quota.in_use(), 0u);
}

// ---- fallbacks

TEST_F(Limits, FallsBackToNull) {
  CacheTraits traits;
  traits.fallback = Fallback::null;
  MemoryCache cache(device, Space::device, traits);
  EXPECT_EQ(cache.allocate_sync(9 * mib), nullptr);
  EXPECT_EQ(cache.stats().failures, 1u);
}

TEST_F(Limits, FallsBackToAnotherResource) {
  CacheTraits traits;
  MemoryCache pinned(device, Space::pinned);
  traits.fallback = Fallback::resource;
  traits.fallback_resource = &pinned;
  {
    MemoryCache cache(device, Space::device, traits);
    void* own = cache.allocate_sync(6 * mib);
    void* other = cache.allocate_sync(6 * mib);
    EXPECT_EQ(pinned.stats().live_bytes, 6 * mib);
    EXPECT_EQ(cache.stats().live_bytes, 6 * mib);
    EXPECT_EQ(cache.stats().fallbacks, 1u);
    static_cast<char*>(other)[6 * mib - 1] = 1;
    cache.deallocate_sync(other, 6 * mib);
    EXPECT_EQ(pinned.stats().live_bytes, 0u);
    cache.deallocate_sync(own, 6 * mib);
  }
}

TEST(LimitsDeathTest, FallsBackToAnAbortWithFigures) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(
      {
        HostDevice device;
        CacheTraits traits;
        traits.fallback = Fallback::abort;
        MemoryCache cache(device, Space::device, traits);
        cache.allocate_sync(std::size_t{1} << 50);
      },
      "1125899906842624 bytes requested");
}

}  // namespace
}  // namespace meander::gpu
