// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/patch_pool.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace meander::mesh {
namespace {

TEST(PatchPool, AcquiresTheLowestFreeAlignedSlot) {
  PatchPool pool(gpu::host_memory(), 24);
  pool.reserve(100);
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(pool.acquire(), i);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pool[i]) % 64, 0u);
  }
  pool.release(40);
  pool.release(7);
  EXPECT_EQ(pool.acquire(), 7);
  EXPECT_EQ(pool.acquire(), 40);
  EXPECT_EQ(pool.capacity(), 100u);
  EXPECT_EQ(pool.acquire(), 100);
}

TEST(PatchPool, ShrinkingKeepsHeldSlots) {
  const std::size_t before = gpu::host_memory().stats().live_bytes;
  {
    PatchPool pool(gpu::host_memory(), 8);
    pool.reserve(1000);
    for (int i = 0; i < 1000; ++i) *pool[pool.acquire()] = i;
    for (int i = 0; i < 1000; ++i) {
      if (i % 10 != 3) pool.release(i);
    }
    const auto moved = pool.shrink(1.1);
    ASSERT_EQ(moved.size(), 1000u);
    EXPECT_LE(pool.capacity(), 100u + 10u + 32u);
    for (int i = 0; i < 1000; ++i) {
      if (i % 10 == 3) {
        ASSERT_GE(moved[static_cast<std::size_t>(i)], 0);
        EXPECT_EQ(*pool[moved[static_cast<std::size_t>(i)]], i);
      } else {
        EXPECT_EQ(moved[static_cast<std::size_t>(i)], -1);
      }
    }
    EXPECT_TRUE(pool.shrink(1.1).empty());
  }
  EXPECT_EQ(gpu::host_memory().stats().live_bytes, before);
}

// A resource of limited size.
class Exhausted final : public gpu::Resource {
 public:
  void* allocate_sync(std::size_t bytes, std::size_t alignment) override {
    left_ -= bytes;
    return gpu::host_memory().allocate_sync(bytes, alignment);
  }
  void deallocate_sync(void* pointer, std::size_t bytes, std::size_t alignment) noexcept override {
    left_ += bytes;
    gpu::host_memory().deallocate_sync(pointer, bytes, alignment);
  }
  std::size_t available() const noexcept override { return left_; }
  gpu::Place place() const noexcept override { return {}; }
  gpu::Stats stats() const noexcept override { return {}; }

 private:
  std::size_t left_ = 64 * 100;  // 100 slots of 8 doubles
};

TEST(PatchPool, OutOfMemoryKeepsHeldSlots) {
  Exhausted memory;
  PatchPool pool(memory, 8);
  pool.reserve(60);
  for (int i = 0; i < 60; ++i) *pool[pool.acquire()] = i;
  EXPECT_THROW(pool.reserve(101), gpu::OutOfMemory);
  EXPECT_EQ(pool.capacity(), 60u);
  for (int i = 0; i < 60; ++i) EXPECT_EQ(*pool[i], i);
  pool.reserve(100);
  EXPECT_EQ(pool.capacity(), 100u);
}

}  // namespace
}  // namespace meander::mesh
