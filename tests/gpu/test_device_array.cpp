// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Arrays in device memory and the host memory that they are uploaded from.
#include "gpu/device_array.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "gpu/device_resources.hpp"
#include "on_device.hpp"

namespace meander::gpu {
namespace {

using DeviceArrayOn = test::OnDevice;

// Counts what is allocated and what is not returned.
class Counting final : public std::pmr::memory_resource {
 public:
  int allocations = 0;
  std::size_t live = 0;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    ++allocations;
    live += bytes;
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    live -= bytes;
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

INSTANTIATE_TEST_SUITE_P(Devices, DeviceArrayOn, ::testing::Values("host", "cuda", "openmp"),
                         &test::device_name);

TEST_P(DeviceArrayOn, KeepsItsMemoryOnBothSides) {
  DirectMemory memory(device(), Space::device);
  Counting host;
  const Queue queue = device().create_queue();
  const auto on_device = [&](const DeviceArray<int>& array) {
    std::vector<int> found(array.size(), -1);
    device().copy(queue, Copy::out, found.data(), array.data(), found.size() * sizeof(int));
    device().synchronize(queue);
    return found;
  };
  {
    DeviceArray<int> array(device(), memory, host);
    const std::span<int> staged = array.stage(queue, 1000);
    std::iota(staged.begin(), staged.end(), 3);
    array.submit(queue);
    std::vector<int> expected(1000);
    std::iota(expected.begin(), expected.end(), 3);
    EXPECT_EQ(on_device(array), expected);
    EXPECT_EQ(array.host().data(), staged.data());

    const int* const before = array.data();
    for (const std::size_t size : {1, 0, 999, 1000}) {
      std::vector<int> items(size, static_cast<int>(size));
      array.upload(queue, items);
      EXPECT_EQ(on_device(array), items);
      EXPECT_TRUE(std::ranges::equal(array.host(), items));
    }
    EXPECT_EQ(array.data(), before);
    EXPECT_EQ(host.allocations, 1);

    array.upload(queue, std::vector<int>(1001, 7));
    EXPECT_EQ(on_device(array), std::vector<int>(1001, 7));
    array.upload(queue, std::vector<int>(1250, 8));  // there is room for a quarter more than there was
    EXPECT_EQ(on_device(array), std::vector<int>(1250, 8));
    EXPECT_EQ(host.allocations, 2);
    EXPECT_GE(array.bytes(), 1250 * sizeof(int));
  }
  EXPECT_EQ(host.live, 0u);
  EXPECT_EQ(memory.stats().live_bytes, 0u);
  device().destroy_queue(queue);
}

}  // namespace
}  // namespace meander::gpu
