// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The adaptor of memory resources to std::pmr.
#include "gpu/pmr.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "gpu/host_device.hpp"
#include "gpu/memory_cache.hpp"

namespace meander::gpu {
namespace {

TEST(PmrResource, ServesStandardContainers) {
  HostDevice device;
  MemoryCache cache(device, Space::managed), other(device, Space::managed);
  PmrResource resource(cache), same(cache), another(other);
  EXPECT_TRUE(resource.is_equal(same));
  EXPECT_FALSE(resource.is_equal(another));
  {
    std::pmr::vector<double> values(&resource);
    for (int i = 0; i < 10'000; ++i) values.push_back(i);
    std::pmr::vector<std::pmr::string> words(&resource);
    words.emplace_back("a text that is too long to be kept within the string object itself");
    EXPECT_EQ(values[9'999], 9'999);
    EXPECT_GE(cache.stats().live_bytes, 80'000u);
  }
  EXPECT_EQ(cache.stats().live_bytes, 0u);
  EXPECT_THROW(static_cast<void>(resource.allocate(std::size_t{1} << 50)), std::bad_alloc);
  void* nothing = resource.allocate(0);
  EXPECT_NE(nothing, nullptr);
  resource.deallocate(nothing, 0);
}

}  // namespace
}  // namespace meander::gpu
