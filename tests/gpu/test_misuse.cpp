// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Reports of the memory cache for misuse.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "gpu/host_device.hpp"
#include "gpu/memory_cache.hpp"
#include "tests/gpu/caught_misuse.hpp"

namespace meander::gpu {
namespace {

class CacheMisuse : public ::testing::Test {
 protected:
  test::CaughtMisuse caught;
  HostDevice device;
  using Kinds = std::vector<Misuse>;
};

TEST_F(CacheMisuse, DoubleFreeIsReportedAndIgnored) {
  MemoryCache cache(device, Space::device);
  void* block = cache.allocate_sync(1000);
  cache.deallocate_sync(block, 1000);
  cache.deallocate_sync(block, 1000);
  EXPECT_EQ(caught.kinds(), Kinds{Misuse::double_free});
  // The block is in the list of idle blocks only once.
  EXPECT_EQ(cache.allocate_sync(1000), block);
  void* other = cache.allocate_sync(1000);
  EXPECT_NE(other, block);
  cache.deallocate_sync(block, 1000);
  cache.deallocate_sync(other, 1000);
}

TEST_F(CacheMisuse, ConcurrentDoubleFreesAreReportedOncePerBlock) {
  MemoryCache cache(device, Space::device);
  constexpr int blocks = 2000;
  std::vector<void*> all;
  for (int i = 0; i < blocks; ++i) all.push_back(cache.allocate_sync(1000));
  const auto free_all = [&] {
    for (void* block : all) cache.deallocate_sync(block, 1000);
  };
  std::thread first(free_all), second(free_all);
  first.join();
  second.join();
  EXPECT_EQ(caught.kinds(), Kinds(blocks, Misuse::double_free));
  EXPECT_EQ(cache.stats().live_bytes, 0u);
}

TEST_F(CacheMisuse, ForeignPointersAreReported) {
  MemoryCache cache(device, Space::device), other(device, Space::device);
  int local = 0;
  cache.deallocate_sync(&local, sizeof local);
  void* block = other.allocate_sync(1000);
  cache.deallocate_sync(block, 1000);
  EXPECT_EQ(caught.kinds(), (Kinds{Misuse::foreign, Misuse::foreign}));
  other.deallocate_sync(block, 1000);
  other.trim();
  other.deallocate_sync(block, 1000);
  EXPECT_EQ(caught.kinds(), Kinds{Misuse::foreign});
}

TEST_F(CacheMisuse, InteriorPointerIsReportedWithItsBlock) {
  MemoryCache cache(device, Space::device);
  void* block = cache.allocate_sync(1000);
  cache.deallocate_sync(static_cast<char*>(block) + 8, 1000);
  ASSERT_EQ(caught.reports().size(), 1u);
  EXPECT_NE(caught.reports()[0].message().find("within a block of 1000 bytes"), std::string::npos);
  EXPECT_EQ(caught.kinds(), Kinds{Misuse::interior});
  cache.deallocate_sync(block, 1000);
  EXPECT_TRUE(caught.kinds().empty());
}

TEST_F(CacheMisuse, WrongSizeIsReportedAndTheBlockStaysLive) {
  MemoryCache cache(device, Space::device);
  void* block = cache.allocate_sync(1000);
  cache.deallocate_sync(block, 999);
  ASSERT_EQ(caught.reports().size(), 1u);
  EXPECT_EQ(caught.reports()[0].expected, 1000u);
  EXPECT_EQ(caught.kinds(), Kinds{Misuse::wrong_size});
  EXPECT_EQ(cache.stats().live_bytes, 1000u);
  cache.deallocate_sync(block, 1000);
}

TEST_F(CacheMisuse, LeaksAreReportedAndReleased) {
  {
    MemoryCache cache(device, Space::device);
    cache.allocate_sync(1000);
    cache.allocate_sync(2000);
    cache.deallocate_sync(cache.allocate_sync(3000), 3000);
  }
  ASSERT_EQ(caught.reports().size(), 1u);
  EXPECT_EQ(caught.reports()[0].expected, 2u);
  EXPECT_EQ(caught.reports()[0].bytes, 3000u);
  EXPECT_EQ(caught.kinds(), Kinds{Misuse::leak});
  EXPECT_EQ(device.available(), device.properties().memory) << "leaked blocks are released";
}

TEST(CacheMisuseDeathTest, AbortsByDefault) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(
      {
        HostDevice device;
        MemoryCache cache(device, Space::device);
        void* block = cache.allocate_sync(1000);
        cache.deallocate_sync(block, 1000);
        cache.deallocate_sync(block, 1000);
      },
      "double free");
}

}  // namespace
}  // namespace meander::gpu
