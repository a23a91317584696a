// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Emulated device: separate addresses, costs, limits and failures.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

#include "base/trace.hpp"
#include "gpu/host_device.hpp"

namespace meander::gpu {
namespace {

double seconds_of(const std::function<void()>& body) {
  const auto begin = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

template <class Call>
std::string words_of(Call call) {
  try {
    call();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "no failure";
}

TEST(HostDevice, KernelsAccessDeviceMemoryByTranslatedAddresses) {
  HostDevice device;
  const Queue queue = device.create_queue();
  auto* block = static_cast<double*>(device.allocate(Space::device, 100 * sizeof(double)));
  device.launch(queue, "fill", [=](const Execution& execution) {
    EXPECT_TRUE(execution.on_host());
    double* values = execution.address(block, 100);
    EXPECT_TRUE(std::isnan(values[0])) << "new memory is poisoned";
    for (int i = 0; i < 100; ++i) values[i] = i;
  });
  std::vector<double> out(100);
  device.copy(queue, Copy::out, out.data(), block, 100 * sizeof(double));
  device.synchronize(queue);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], i);
  device.deallocate(Space::device, block);
}

// A kernel that writes beyond its block: AddressSanitizer reports the access, other builds the overwritten zone.
TEST(HostDeviceDeathTest, WritesBehindABlockAreReported) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(
      {
        HostDevice device;
        const Queue queue = device.create_queue();
        auto* block = static_cast<double*>(device.allocate(Space::device, 800));
        device.launch(queue, "overrun",
                      [=](const Execution& execution) { execution.address(block, 100)[100] = 1; });
        device.synchronize(queue);
        device.deallocate(Space::device, block);
      },
      "use-after-poison|was overwritten");
}

TEST(HostDeviceDeathTest, KernelsCannotAccessTheNeighbourhoodOfBlocksNorReleasedOnes) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  for (const std::ptrdiff_t at : {std::ptrdiff_t{-1}, std::ptrdiff_t{512}}) {
    EXPECT_DEATH(
        {
          HostDevice device;
          const Queue queue = device.create_queue();
          auto* block = static_cast<double*>(device.allocate(Space::device, 4096));
          device.launch(queue, "beside",
                        [=](const Execution& execution) { execution.address(block, 512)[at] = 1; });
          device.synchronize(queue);
        },
        "");
  }
  EXPECT_DEATH(
      {
        HostDevice device;
        const Queue queue = device.create_queue();
        auto* block = static_cast<double*>(device.allocate(Space::device, 4096));
        double* address = nullptr;
        device.launch(queue, "keep",
                      [&](const Execution& execution) { address = execution.address(block, 512); });
        device.synchronize(queue);
        device.deallocate(Space::device, block);
        *static_cast<volatile double*>(address) = 1;
      },
      "");
}

TEST(HostDeviceDeathTest, HostAccessToDeviceMemoryEndsTheProcess) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(
      {
        HostDevice device;
        auto* block = static_cast<volatile double*>(device.allocate(Space::device, 800));
        block[3] = 1;
      },
      "");
}

TEST(HostDevice, RejectsHostPointersAsDevicePointers) {
  HostDevice device;
  const Queue queue = device.create_queue();
  std::vector<double> host(100), other(100);
  EXPECT_NE(words_of([&] {
              device.copy(queue, Copy::in, host.data(), other.data(), 800);
            }).find("not within one block"),
            std::string::npos);
  EXPECT_NE(words_of([&] {
              device.copy(queue, Copy::out, host.data(), other.data(), 800);
            }).find("not within one block"),
            std::string::npos);
  device.launch(queue, "wrong", [&](const Execution& execution) { execution.address(host.data(), 100); });
  EXPECT_NE(words_of([&] { device.synchronize(queue); }).find("host memory"), std::string::npos);
  auto* block = static_cast<double*>(device.allocate(Space::device, 800));
  EXPECT_NE(words_of([&] { device.copy(queue, Copy::in, block, block, 800); }).find("is a device pointer"),
            std::string::npos);
  EXPECT_NE(
      words_of([&] { device.copy(queue, Copy::in, block, host.data(), 801); }).find("not within one block"),
      std::string::npos);
  device.launch(queue, "too far", [&](const Execution& execution) { execution.address(block + 50, 51); });
  EXPECT_NE(words_of([&] { device.synchronize(queue); }).find("not within one block"), std::string::npos);
  device.deallocate(Space::device, block);
  device.launch(queue, "freed", [&](const Execution& execution) { execution.address(block, 1); });
  EXPECT_NE(words_of([&] { device.synchronize(queue); }).find("not within one block"), std::string::npos);
}

TEST(HostDevice, FailedKernelBlocksItsQueueUntilSynchronized) {
  HostDevice device;
  const Queue queue = device.create_queue(), other = device.create_queue();
  bool ran = false;
  device.launch(queue, "bad", [](const Execution&) { throw std::runtime_error("negative density"); });
  const Event event = mark(queue);
  device.settle(event);
  EXPECT_NE(words_of([&] { device.is_complete(event); }).find("negative density"), std::string::npos);
  EXPECT_THROW(device.launch(queue, "next", [&](const Execution&) { ran = true; }), DeviceError);
  device.launch(other, "elsewhere", [](const Execution&) {});
  device.synchronize(other);
  EXPECT_THROW(device.synchronize(queue), DeviceError);
  device.launch(queue, "next", [&](const Execution&) { ran = true; });
  device.synchronize(queue);
  EXPECT_TRUE(ran);
}

TEST(HostDevice, AllocatesItsCapacityAndNoMore) {
  HostDeviceSettings settings;
  settings.capacity = 1 << 20;
  HostDevice device(settings);
  std::vector<void*> blocks;
  for (int i = 0; i < 16; ++i) blocks.push_back(device.allocate(Space::device, 1 << 16));
  EXPECT_EQ(device.available(), 0u);
  try {
    device.allocate(Space::device, 1);
    ADD_FAILURE() << "allocated more than the capacity";
  } catch (const OutOfMemory& error) {
    EXPECT_EQ(error.requested, 1u);
    EXPECT_EQ(error.in_use, 1u << 20);
    EXPECT_EQ(error.quota, 1u << 20);
  }
  for (int i = 0; i < 16; i += 2) device.deallocate(Space::device, blocks[static_cast<std::size_t>(i)]);
  // Fragmentation of addresses does not limit allocation.
  void* large = device.allocate(Space::device, 1 << 19);
  device.deallocate(Space::device, large);
  for (int i = 1; i < 16; i += 2) device.deallocate(Space::device, blocks[static_cast<std::size_t>(i)]);
  EXPECT_EQ(device.available(), 1u << 20);
}

TEST(HostDevice, SeveralDevicesHaveTheSameSettingsAndSeparateMemory) {
  HostDeviceSettings settings;
  settings.capacity = 1 << 20;
  const auto devices = make_devices("host:3", settings);
  ASSERT_EQ(devices.size(), 3u);
  void* block = devices[1]->allocate(Space::device, 1 << 20);
  EXPECT_EQ(devices[1]->available(), 0u);
  EXPECT_EQ(devices[2]->available(), 1u << 20);
  // A device cannot access the memory of another.
  const Queue queue = devices[2]->create_queue();
  char host = 0;
  EXPECT_THROW(devices[2]->copy(queue, Copy::out, &host, block, 1), DeviceError);
  devices[1]->deallocate(Space::device, block);
}

TEST(HostDevice, InjectedFailuresOccurAtTheGivenCalls) {
  HostDeviceSettings settings;
  settings.failing_allocation = 2;
  settings.failing_copy = 2;
  settings.failing_launch = 1;
  HostDevice device(settings);
  const Queue queue = device.create_queue();
  void* block = device.allocate(Space::device, 800);
  EXPECT_THROW(device.allocate(Space::device, 800), OutOfMemory);
  device.deallocate(Space::device, device.allocate(Space::device, 800));
  std::vector<char> host(800);
  device.copy(queue, Copy::in, block, host.data(), 800);
  device.synchronize(queue);
  device.copy(queue, Copy::in, block, host.data(), 800);
  EXPECT_THROW(device.synchronize(queue), DeviceError);
  device.launch(queue, "k", [](const Execution&) {});
  EXPECT_THROW(device.synchronize(queue), DeviceError);
  EXPECT_FALSE(device.lost());
}

TEST(HostDevice, LostDeviceRejectsAllCalls) {
  HostDeviceSettings settings;
  settings.dies_after = 3;
  HostDevice device(settings);
  const Queue queue = device.create_queue();
  void* block = device.allocate(Space::device, 800);
  device.launch(queue, "last", [](const Execution&) {});
  for (int i = 0; i < 3; ++i) {
    try {
      device.allocate(Space::device, 800);
      ADD_FAILURE() << "alive";
    } catch (const DeviceError& error) {
      EXPECT_TRUE(error.lost);
    }
  }
  EXPECT_TRUE(device.lost());
  EXPECT_THROW(device.launch(queue, "more", [](const Execution&) {}), DeviceError);
  EXPECT_THROW(device.synchronize(queue), DeviceError);
  device.settle(mark(queue));
  device.deallocate(Space::device, block);
  device.destroy_queue(queue);
}

// The wait begins before the loss: it must not take what was skipped for done.
TEST(HostDevice, WaitReportsALossWhileItWaits) {
  HostDevice device;
  const Queue queue = device.create_queue();
  bool has_run = false;
  device.launch(queue, "lose the device", [&](const Execution&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    device.die();
  });
  device.launch(queue, "skipped", [&](const Execution&) { has_run = true; });
  EXPECT_EQ(words_of([&] { device.wait(device.record(queue)); }), "host:0: the device is lost");
  EXPECT_FALSE(has_run);
}

TEST(HostDevice, TakesAtLeastTheTimesOfItsSettings) {
  HostDeviceSettings settings;
  settings.launch_latency = 0.01;
  settings.kernel_delay = 0.02;
  settings.bandwidth_in = 1e8;
  settings.bandwidth_out = 5e7;
  HostDevice device(settings);
  const Queue first = device.create_queue(), second = device.create_queue();
  constexpr std::size_t bytes = 2'000'000;
  void* block = device.allocate(Space::device, bytes);
  void* other = device.allocate(Space::device, bytes);
  std::vector<char> host(bytes), out(bytes);
  EXPECT_GE(seconds_of([&] {
              device.launch(first, "k", [](const Execution&) {});
              device.synchronize(first);
            }),
            0.03);
  // Copies in one direction share the link; the two directions are independent.
  EXPECT_GE(seconds_of([&] {
              device.copy(first, Copy::in, block, host.data(), bytes);
              device.copy(second, Copy::in, other, host.data(), bytes);
              device.synchronize(first);
              device.synchronize(second);
            }),
            0.04);
  EXPECT_GE(seconds_of([&] {
              device.copy(first, Copy::out, out.data(), block, bytes);
              device.synchronize(first);
            }),
            0.04);
  device.deallocate(Space::device, block);
}

TEST(HostDevice, RawAllocationStallsTheDevice) {
  HostDeviceSettings settings;
  settings.allocation_stall = 0.05;
  settings.kernel_delay = 0.03;
  HostDevice device(settings);
  const Queue queue = device.create_queue();
  std::atomic<bool> running{false};
  device.launch(queue, "long", [&](const Execution&) { running = true; });
  while (!running) std::this_thread::yield();
  void* block = nullptr;
  EXPECT_GE(seconds_of([&] { block = device.allocate(Space::device, 800); }), 0.05);
  EXPECT_TRUE(mark(queue).known_complete()) << "the allocation waits for the kernel";
  std::thread other([&] { device.deallocate(Space::device, block); });
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_GE(seconds_of([&] {
              device.launch(queue, "next", [](const Execution&) {});
              device.synchronize(queue);
            }),
            0.03);
  other.join();
}

TEST(HostDevice, TracesHaveARowPerQueue) {
  HostDevice device;
  const Queue queue = device.create_queue();
  trace::start();
  device.launch(queue, "a kernel", [](const Execution&) {});
  device.synchronize(queue);
  trace::stop();
  const std::string events = trace::events(0, "process");
  EXPECT_NE(events.find("\"host:0 queue 0\""), std::string::npos);
  EXPECT_NE(events.find("\"a kernel\""), std::string::npos);
  trace::clear();
}

TEST(HostDevice, ManagedPagesMigrateOnlyOnAccessByTheOtherSide) {
  HostDeviceSettings settings;
  settings.page_fault = 0.04;
  HostDevice device(settings);
  const Queue queue = device.create_queue();
  constexpr std::size_t count = 32'768;  // four pieces of 64 KiB
  auto* block = static_cast<double*>(device.allocate(Space::managed, count * sizeof(double)));
  const auto touch = [&] {
    device.launch(queue, "touch",
                  [=](const Execution& execution) { execution.address(block, count)[0] = 1; });
    device.synchronize(queue);
  };
  EXPECT_GE(seconds_of(touch), 0.16);
  EXPECT_LT(seconds_of(touch), 0.16);
  device.host_touched(block, count * sizeof(double));
  device.prefetch(queue, block, count * sizeof(double), Side::device);
  EXPECT_LT(seconds_of(touch), 0.16);
  EXPECT_EQ(block[0], 1);
  device.deallocate(Space::managed, block);
}

}  // namespace
}  // namespace meander::gpu
