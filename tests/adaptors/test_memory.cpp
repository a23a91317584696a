// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Owned, wrapped and aliased memory.
#include "adaptors/memory.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "gpu/host_device.hpp"
#include "gpu/memory_cache.hpp"

namespace meander::gpu {
namespace {

TEST(Memory, OnlyTheOwnerDeallocates) {
  HostDevice device;
  MemoryCache cache(device, Space::device);
  {
    Memory owned = Memory::allocate(cache, 1000);
    EXPECT_EQ(owned.ownership(), Ownership::owned);
    EXPECT_EQ(owned.place(), cache.place());
    const Memory alias = owned.alias();
    EXPECT_EQ(alias.data(), owned.data());
    const Memory wrapped = Memory::wrap(owned.data(), 500, owned.place());
    EXPECT_EQ(wrapped.ownership(), Ownership::wrapped);
    const Memory clone = owned.clone();
    EXPECT_NE(clone.data(), owned.data());
    EXPECT_EQ(cache.stats().live_bytes, 2000u);
    Memory moved = std::move(owned);
    moved = Memory::allocate(cache, 3000);
    EXPECT_EQ(cache.stats().live_bytes, 4000u);
  }
  EXPECT_EQ(cache.stats().live_bytes, 0u);
}

TEST(Memory, CopiesBetweenAllSpaces) {
  HostDevice device;
  MemoryCache on_device(device, Space::device), pinned(device, Space::pinned),
      managed(device, Space::managed);
  std::vector<int> in(1000), out(1000);
  std::iota(in.begin(), in.end(), 1);
  const Place host{Space::host, 0};
  const Memory first = Memory::wrap(in.data(), 4000, host), last = Memory::wrap(out.data(), 4000, host);
  for (const Queue queue : {Queue{}, device.create_queue()}) {
    std::fill(out.begin(), out.end(), 0);
    const Memory a = Memory::allocate(pinned, 4000), b = Memory::allocate(on_device, 4000, queue),
                 c = Memory::allocate(managed, 4000), d = Memory::allocate(on_device, 4000, queue);
    copy(&device, queue, a, first, 4000);
    copy(&device, queue, b, a, 4000);
    copy(&device, queue, c, b, 4000);
    copy(&device, queue, d, c, 4000);
    copy(&device, queue, last, d, 4000);
    if (!queue.synchronous()) device.synchronize(queue);
    EXPECT_EQ(in, out);
    EXPECT_THROW(copy(&device, queue, a, first, 4001), DeviceError);
  }
  copy(nullptr, Queue{}, last, first, 8);
  EXPECT_THROW(copy(nullptr, Queue{}, Memory::allocate(on_device, 8), first, 8), DeviceError);
}

}  // namespace
}  // namespace meander::gpu
