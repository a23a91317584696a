// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdint>

#include "gpu/resource.hpp"

namespace meander::gpu {
namespace {

TEST(HostMemory, AlignsBlocksAndCountsBytes) {
  Resource& memory = host_memory();
  const Stats before = memory.stats();
  for (const std::size_t alignment : {64, 256, 4096}) {
    void* pointer = memory.allocate_sync(1000, alignment);
    ASSERT_NE(pointer, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pointer) % alignment, 0u);
    EXPECT_EQ(memory.stats().live_bytes, before.live_bytes + 1000);
    EXPECT_GE(memory.stats().peak_bytes, before.live_bytes + 1000);
    memory.deallocate_sync(pointer, 1000, alignment);
  }
  EXPECT_EQ(memory.stats().live_bytes, before.live_bytes);
  EXPECT_EQ(memory.stats().allocations, before.allocations + 3);
  EXPECT_EQ(memory.place(), (Place{Space::host, 0}));
}

TEST(HostMemory, ZeroBytesGiveNull) {
  EXPECT_EQ(host_memory().allocate_sync(0), nullptr);
  host_memory().deallocate_sync(nullptr, 0);
}

TEST(HostMemory, OutOfMemoryStatesTheRequest) {
  const std::size_t pebibyte = std::size_t{1} << 50;
  EXPECT_LT(host_memory().available(), pebibyte);
  try {
    void* pointer = host_memory().allocate_sync(pebibyte);
    host_memory().deallocate_sync(pointer, pebibyte);
    ADD_FAILURE() << "a pebibyte was allocated";
  } catch (const OutOfMemory& error) {
    EXPECT_EQ(error.requested, pebibyte);
    EXPECT_NE(std::string(error.what()).find("1125899906842624"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace meander::gpu
