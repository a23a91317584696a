// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "parallel/neighbour_messages.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace meander::parallel {
namespace {

// Counts the bytes that are allocated at a time.
class Counted final : public std::pmr::memory_resource {
 public:
  std::size_t bytes = 0;

 private:
  void* do_allocate(std::size_t size, std::size_t alignment) override {
    bytes += size;
    return std::pmr::new_delete_resource()->allocate(size, alignment);
  }
  void do_deallocate(void* pointer, std::size_t size, std::size_t alignment) override {
    bytes -= size;
    std::pmr::new_delete_resource()->deallocate(pointer, size, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

TEST(MessageBuffer, StaysAtItsAddressWhenMovedBetweenResources) {
  Counted first, second;
  {
    MessageBuffer from(first, 8), to(second, 16);
    double* const address = from.data();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(address) % 64, 0u);
    to = std::move(from);
    EXPECT_EQ(to.data(), address);
    EXPECT_EQ(to.size(), 8u);
    EXPECT_EQ(from.data(), nullptr);
    EXPECT_EQ(from.size(), 0u);
    EXPECT_EQ(first.bytes, 8 * sizeof(double));
    EXPECT_EQ(second.bytes, 0u) << "what the target held is deallocated at once";
    const MessageBuffer moved(std::move(to));
    EXPECT_EQ(moved.data(), address);
  }
  EXPECT_EQ(first.bytes, 0u);
}

}  // namespace
}  // namespace meander::parallel
