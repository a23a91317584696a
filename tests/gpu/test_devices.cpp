// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The contract of every device.
#include <atomic>
#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/gpu/on_device.hpp"

namespace meander::gpu {
namespace {

class EveryDevice : public test::OnDevice {};
INSTANTIATE_TEST_SUITE_P(Device, EveryDevice, ::testing::Values("host", "cuda", "openmp"), test::device_name);

TEST_P(EveryDevice, CopiesInAndOutInOrder) {
  Device& on = device();
  const Queue queue = on.create_queue();
  constexpr std::size_t count = 100'000, bytes = count * sizeof(int);
  auto* first = static_cast<int*>(on.allocate(Space::device, bytes));
  auto* second = static_cast<int*>(on.allocate(Space::device, bytes));
  std::vector<int> in(count), out(count, -1);
  std::iota(in.begin(), in.end(), 7);
  on.copy(queue, Copy::in, first, in.data(), bytes);
  on.copy(queue, Copy::within, second, first, bytes);
  on.copy(queue, Copy::out, out.data(), second, bytes);
  bool called = false;
  on.call_host(queue, [&] { called = true; });
  const Event end = on.record(queue);
  on.wait(end);
  EXPECT_TRUE(on.is_complete(end));
  EXPECT_TRUE(called);
  EXPECT_EQ(in, out);
  on.destroy_queue(queue);
  on.deallocate(Space::device, first);
  on.deallocate(Space::device, second);
}

TEST_P(EveryDevice, CopiesParts) {
  Device& on = device();
  const Queue queue = on.create_queue();
  auto* block = static_cast<double*>(on.allocate(Space::device, 100 * sizeof(double)));
  const std::vector<double> in{1.5, 2.5, 3.5};
  std::vector<double> out(2);
  on.copy(queue, Copy::in, block + 97, in.data(), 3 * sizeof(double));
  on.copy(queue, Copy::out, out.data(), block + 98, 2 * sizeof(double));
  on.synchronize(queue);
  EXPECT_EQ(out, (std::vector<double>{2.5, 3.5}));
  on.destroy_queue(queue);
  on.deallocate(Space::device, block);
}

TEST_P(EveryDevice, QueuesWaitForEventsOfOtherQueues) {
  Device& on = device();
  const Queue first = on.create_queue(), second = on.create_queue();
  std::atomic<bool> go{false};
  std::vector<int> order;
  on.call_host(first, [&] {
    while (!go) std::this_thread::yield();
    order.push_back(1);
  });
  const Event event = on.record(first);
  on.wait(second, event);
  on.call_host(second, [&] { order.push_back(2); });
  EXPECT_FALSE(on.is_complete(event));
  EXPECT_TRUE(on.busy());
  go = true;
  on.synchronize(second);
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
  on.synchronize(first);
  EXPECT_FALSE(on.busy());
  on.destroy_queue(first);
  on.destroy_queue(second);
}

TEST_P(EveryDevice, CompletionOfMarksIsKnownAfterSettle) {
  Device& on = device();
  const Queue queue = on.create_queue();
  std::atomic<bool> go{false};
  on.call_host(queue, [&] {
    while (!go) std::this_thread::yield();
  });
  const Event event = mark(queue);
  on.refresh(*event.queue);
  EXPECT_FALSE(event.known_complete());
  go = true;
  on.settle(event);
  EXPECT_TRUE(event.known_complete());
  on.destroy_queue(queue);
  EXPECT_TRUE(event.known_complete());
}

TEST_P(EveryDevice, RejectsUnsupportedSpacesAndTooLargeBlocks) {
  Device& on = device();
  EXPECT_THROW(on.allocate(Space::host, 100), DeviceError);
  EXPECT_THROW(on.allocate(Space::device, std::size_t{1} << 50), OutOfMemory);
  EXPECT_EQ(on.allocate(Space::device, 0), nullptr);
  on.deallocate(Space::device, nullptr);
  EXPECT_GT(on.properties().memory, 0u);
  EXPECT_LE(on.available(), on.properties().memory);
}

TEST_P(EveryDevice, PoolAllocationIsStreamOrdered) {
  Device& on = device();
  if (!on.properties().ordered) GTEST_SKIP() << "the device has no stream-ordered pool";
  const Queue queue = on.create_queue();
  std::vector<int> in(1000, 3), out(1000);
  void* block = on.allocate_ordered(queue, 4000);
  on.copy(queue, Copy::in, block, in.data(), 4000);
  on.copy(queue, Copy::out, out.data(), block, 4000);
  on.deallocate_ordered(queue, block);
  on.synchronize(queue);
  EXPECT_EQ(in, out);
  on.destroy_queue(queue);
}

TEST_P(EveryDevice, CopiesFromPinnedAndManagedMemory) {
  Device& on = device();
  const Queue queue = on.create_queue();
  for (const Space space : {Space::pinned, Space::managed}) {
    if (!on.properties().supports(space)) continue;
    auto* block = static_cast<int*>(on.allocate(space, 4000));
    std::iota(block, block + 1000, 0);
    on.prefetch(queue, block, 4000, Side::device);
    auto* device_block = on.allocate(Space::device, 4000);
    std::vector<int> out(1000);
    on.copy(queue, Copy::in, device_block, block, 4000);
    on.copy(queue, Copy::out, out.data(), device_block, 4000);
    on.prefetch(queue, block, 4000, Side::host);
    on.synchronize(queue);
    EXPECT_EQ(out, std::vector<int>(block, block + 1000));
    on.deallocate(Space::device, device_block);
    on.deallocate(space, block);
  }
  on.destroy_queue(queue);
}

TEST(Devices, AreCreatedByName) {
  EXPECT_TRUE(make_devices("none").empty());
  const auto four = make_devices("host:4");
  ASSERT_EQ(four.size(), 4u);
  EXPECT_EQ(four[3]->properties().name, "host:3");
  EXPECT_EQ(four[3]->properties().number, 3);
  if (!why_missing("cuda").empty()) {
    EXPECT_TRUE(make_devices("auto").empty());
  }
}

TEST(Devices, ErrorForUnknownNameListsAvailableOnes) {
  for (const char* name : {"cpu", "host:0", "host:x", "host:", "host:2x", "host:1000", ""}) {
    try {
      make_devices(name);
      ADD_FAILURE() << name;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("host:N"), std::string::npos) << error.what();
    }
  }
  for (const char* name : {"cuda", "openmp"}) {
    if (!why_missing(name).empty()) {
      EXPECT_THROW(make_devices(name), InputError) << name;
    }
  }
}

}  // namespace
}  // namespace meander::gpu
