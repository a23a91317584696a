// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The SUNMemoryHelper: the checks of SUNDIALS' own unit tests of its helpers (test/unit_tests/sunmemory), for each
// memory type on each device, and ownership, queues and clones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "gpu/host_device.hpp"
#include "tests/adaptors/sundials/sun_helper.hpp"
#include "tests/gpu/on_device.hpp"

namespace meander::gpu {
namespace {

using test::alias;
using test::SunHelper;
using test::wrap;

std::vector<double> numbers(std::size_t count, double first = 1) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

using Parameters = std::tuple<std::string, SUNMemoryType>;

class SunMemory : public ::testing::TestWithParam<Parameters> {
 protected:
  void SetUp() override {
    const std::string& device = std::get<0>(GetParam());
    const std::string reason = why_missing(device);
    if (!reason.empty()) GTEST_SKIP() << device << ": " << reason;
    devices_ = make_devices(device);
    if (type() == SUNMEMTYPE_UVM && !devices_.front()->properties().managed)
      GTEST_SKIP() << device << ": no managed memory";
    helper_ = std::make_unique<SunHelper>(*devices_.front());
  }
  SUNMemoryType type() const { return std::get<1>(GetParam()); }
  Device& device() { return *devices_.front(); }
  SunHelper& helper() { return *helper_; }

 private:
  std::vector<std::unique_ptr<Device>> devices_;
  std::unique_ptr<SunHelper> helper_;
};

// test_instance() of SUNDIALS' tests.
void check_instance(SunHelper& owner, SUNMemoryHelper helper, SUNMemoryType type) {
  constexpr std::size_t count = 8, bytes = count * sizeof(double);
  SUNMemory some = nullptr, other = nullptr;
  ASSERT_EQ(SUNMemoryHelper_Alloc(helper, &some, bytes, type, nullptr), 0);
  ASSERT_NE(some, nullptr);
  EXPECT_NE(some->ptr, nullptr);
  EXPECT_EQ(some->type, type);
  EXPECT_TRUE(some->own);
#if MEANDER_SUNDIALS_VERSION >= 605
  EXPECT_EQ(some->bytes, bytes);
#endif
  owner.write(some, numbers(count));
  ASSERT_EQ(SUNMemoryHelper_Alloc(helper, &other, bytes, type, nullptr), 0);
  EXPECT_NE(other->ptr, some->ptr);
  EXPECT_EQ(SUNMemoryHelper_Copy(helper, other, some, bytes, nullptr), 0);
  EXPECT_EQ(owner.read(other, count), numbers(count));
  EXPECT_EQ(sun_memory_statistics(helper, type).bytes, 2 * bytes);
  EXPECT_EQ(SUNMemoryHelper_Dealloc(helper, some, nullptr), 0);
  EXPECT_EQ(SUNMemoryHelper_Dealloc(helper, other, nullptr), 0);
  const SunMemoryStatistics statistics = sun_memory_statistics(helper, type);
  EXPECT_EQ(statistics.allocations, 2u);
  EXPECT_EQ(statistics.deallocations, 2u);
  EXPECT_EQ(statistics.bytes, 0u);
  EXPECT_EQ(statistics.peak_bytes, 2 * bytes);
#if MEANDER_SUNDIALS_VERSION >= 605
  unsigned long allocations = 0, deallocations = 0;
  std::size_t now = 1, peak = 0;
  EXPECT_EQ(SUNMemoryHelper_GetAllocStats(helper, type, &allocations, &deallocations, &now, &peak), 0);
  EXPECT_EQ(allocations, 2u);
  EXPECT_EQ(deallocations, 2u);
  EXPECT_EQ(now, 0u);
  EXPECT_EQ(peak, 2 * bytes);
#endif
}

TEST_P(SunMemory, PassesTheChecksOfSundials) {
  EXPECT_TRUE(SUNMemoryHelper_ImplementsRequiredOps(helper().get()));
  check_instance(helper(), helper().get(), type());
  const SUNMemoryHelper clone = SUNMemoryHelper_Clone(helper().get());
  ASSERT_NE(clone, nullptr);
  check_instance(helper(), clone, type());
  EXPECT_EQ(SUNMemoryHelper_Destroy(clone), 0);
}

TEST_P(SunMemory, ComesFromTheResourceOfItsType) {
  const Stats before = helper().resource(type()).stats();
  const SUNMemory memory = helper().allocate(type(), 1000);
  EXPECT_EQ(helper().resource(type()).stats().live_bytes, before.live_bytes + 1000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory->ptr) % 64, 0u);
  void* const pointer = memory->ptr;
  helper().deallocate(memory);
  EXPECT_EQ(helper().resource(type()).stats().live_bytes, before.live_bytes);
  if (type() == SUNMEMTYPE_HOST) return;
  const SUNMemory again = helper().allocate(type(), 1000);
  EXPECT_EQ(again->ptr, pointer);  // the cache has kept the block
  EXPECT_EQ(helper().resource(type()).stats().hits, before.hits + 1);
  helper().deallocate(again);
}

TEST_P(SunMemory, OnlyTheOwnerDeallocates) {
  const SUNMemory owner = helper().allocate(type(), 64);
  helper().write(owner, numbers(8));
  const SUNMemory second = alias(helper().get(), owner);
  EXPECT_EQ(second->ptr, owner->ptr);
  EXPECT_EQ(second->type, type());
  EXPECT_FALSE(second->own);
  const SUNMemory wrapped = wrap(helper().get(), owner->ptr, type());
  EXPECT_FALSE(wrapped->own);
  helper().deallocate(second);
  helper().deallocate(wrapped);
  EXPECT_EQ(helper().read(owner, 8), numbers(8));
  EXPECT_EQ(helper().statistics(type()).bytes, 64u);
  EXPECT_EQ(helper().statistics(type()).deallocations, 0u);

  // Ownership moves to an alias.
  const SUNMemory heir = alias(helper().get(), owner);
  heir->own = SUNTRUE;
  owner->own = SUNFALSE;
  helper().deallocate(owner);
  EXPECT_EQ(helper().read(heir, 8), numbers(8));
  helper().deallocate(heir);
  EXPECT_EQ(helper().statistics(type()).bytes, 0u);
}

TEST_P(SunMemory, CopiesFromAndToAllTypes) {
  const SUNMemory memory = helper().allocate(type(), 800);
  Queue queue = device().create_queue();
  for (const SUNMemoryType other_type : test::sun_memory_types) {
    if (other_type == SUNMEMTYPE_UVM && !device().properties().managed) continue;
    const SUNMemory other = helper().allocate(other_type, 800);
    for (void* const used : {static_cast<void*>(nullptr), static_cast<void*>(&queue)}) {
      helper().write(memory, numbers(100));
      helper().write(other, numbers(100, 1000));
      EXPECT_EQ(SUNMemoryHelper_Copy(helper().get(), other, memory, 400, used), 0);
      const std::vector<double> half = helper().read(other, 100);
      EXPECT_EQ(half[49], 50);
      EXPECT_EQ(half[50], 1050);
      helper().write(other, numbers(100, 2000));
      EXPECT_EQ(SUNMemoryHelper_CopyAsync(helper().get(), memory, other, 800, used), 0);
      if (used != nullptr) device().synchronize(queue);
      EXPECT_EQ(helper().read(memory, 100), numbers(100, 2000));
    }
    helper().deallocate(other);
  }
  device().destroy_queue(queue);
  helper().deallocate(memory);
}

TEST_P(SunMemory, ZeroBytesAreNull) {
  const SUNMemory memory = helper().allocate(type(), 0);
  EXPECT_EQ(memory->ptr, nullptr);
  EXPECT_EQ(SUNMemoryHelper_Copy(helper().get(), memory, memory, 0, nullptr), 0);
  EXPECT_NE(SUNMemoryHelper_Copy(helper().get(), memory, memory, 1, nullptr), 0);
  helper().deallocate(memory);
  helper().deallocate(nullptr);
  EXPECT_EQ(helper().statistics(type()).allocations, 0u);
  EXPECT_EQ(helper().statistics(type()).deallocations, 0u);
}

TEST_P(SunMemory, AnyCloneDeallocates) {
  const SUNMemoryHelper first = SUNMemoryHelper_Clone(helper().get());
  const SUNMemoryHelper second = SUNMemoryHelper_Clone(first);
  SUNMemory memory = nullptr;
  ASSERT_EQ(SUNMemoryHelper_Alloc(first, &memory, 100, type(), nullptr), 0);
  EXPECT_EQ(sun_memory_statistics(first, type()).bytes, 100u);
  EXPECT_EQ(sun_memory_statistics(second, type()).bytes, 0u);
  EXPECT_EQ(SUNMemoryHelper_Dealloc(second, memory, nullptr), 0);
  EXPECT_EQ(sun_memory_statistics(first, type()).bytes, 0u);
  EXPECT_EQ(sun_memory_statistics(first, type()).deallocations, 1u);
  EXPECT_EQ(sun_memory_statistics(second, type()).deallocations, 0u);

  ASSERT_EQ(SUNMemoryHelper_Alloc(first, &memory, 100, type(), nullptr), 0);
  EXPECT_EQ(SUNMemoryHelper_Destroy(first), 0);  // the others can still deallocate
  EXPECT_EQ(SUNMemoryHelper_Dealloc(second, memory, nullptr), 0);
  EXPECT_EQ(SUNMemoryHelper_Destroy(second), 0);
}

#if MEANDER_SUNDIALS_VERSION >= 703
TEST_P(SunMemory, KeepsTheStrideAndTheDefaultQueue) {
  SUNMemory memory = nullptr;
  ASSERT_EQ(SUNMemoryHelper_AllocStrided(helper().get(), &memory, 64, 16, type(), nullptr), 0);
  EXPECT_EQ(memory->stride, 16u);
  EXPECT_EQ(memory->bytes, 64u);
  Queue queue = device().create_queue();
  EXPECT_EQ(SUNMemoryHelper_SetDefaultQueue(helper().get(), &queue), 0);
  const SUNMemoryHelper clone = SUNMemoryHelper_Clone(helper().get());
  EXPECT_EQ(clone->queue, &queue);
  std::vector<double> source = numbers(8);
  const SUNMemory host = wrap(clone, source.data(), SUNMEMTYPE_HOST);
  const std::uint64_t before = queue.state()->submitted;
  EXPECT_EQ(SUNMemoryHelper_CopyAsync(clone, memory, host, 64, nullptr), 0);
  EXPECT_EQ(queue.state()->submitted, before + 1);
  device().synchronize(queue);
  EXPECT_EQ(helper().read(memory, 8), numbers(8));
  EXPECT_EQ(SUNMemoryHelper_Dealloc(clone, host, nullptr), 0);
  EXPECT_EQ(SUNMemoryHelper_Destroy(clone), 0);
  helper().deallocate(memory);
  EXPECT_EQ(SUNMemoryHelper_SetDefaultQueue(helper().get(), nullptr), 0);
  device().destroy_queue(queue);
}
#endif

INSTANTIATE_TEST_SUITE_P(Devices, SunMemory,
                         ::testing::Combine(::testing::Values("host", "cuda"),
                                            ::testing::ValuesIn(test::sun_memory_types)),
                         [](const auto& test) {
                           return std::get<0>(test.param) + test::name(std::get<1>(test.param));
                         });

TEST(SunMemoryQueues, OperationsKeepTheOrderOfTheQueue) {
  HostDeviceSettings slow;
  slow.copy_latency = 0.02;
  HostDevice device(slow);
  SunHelper helper(device);
  Queue queue = device.create_queue();
  const SUNMemory source = helper.allocate(SUNMEMTYPE_PINNED, 64),
                  target = helper.allocate(SUNMEMTYPE_DEVICE, 64);
  const SUNMemory result = helper.allocate(SUNMEMTYPE_PINNED, 64);
  helper.write(source, numbers(8));
  helper.write(result, numbers(8, 100));
  // Two copies and the deallocation between them: all in the queue, none has ended at once.
  EXPECT_EQ(SUNMemoryHelper_CopyAsync(helper.get(), target, source, 64, &queue), 0);
  EXPECT_EQ(SUNMemoryHelper_CopyAsync(helper.get(), result, target, 64, &queue), 0);
  EXPECT_FALSE(mark(queue).known_complete());
  helper.deallocate(target, &queue);
  EXPECT_FALSE(mark(queue).known_complete());
  // A block for another queue must not be the one that is still in use.
  const SUNMemory other = helper.allocate(SUNMEMTYPE_DEVICE, 64);
  helper.write(other, numbers(8, 500));
  device.synchronize(queue);
  EXPECT_EQ(helper.read(result, 8), numbers(8));
  for (const SUNMemory memory : {source, result, other}) helper.deallocate(memory);
}

TEST(SunMemoryQueues, DeallocationWithoutQueueWaitsForCopies) {
  HostDeviceSettings slow;
  slow.copy_latency = 0.05;
  HostDevice device(slow);
  SunHelper helper(device);
  Queue queue = device.create_queue();
  const SUNMemory source = helper.allocate(SUNMEMTYPE_PINNED, 64),
                  target = helper.allocate(SUNMEMTYPE_DEVICE, 64);
  helper.write(source, numbers(8));
  EXPECT_EQ(SUNMemoryHelper_CopyAsync(helper.get(), target, source, 64, &queue), 0);
  helper.deallocate(source);
  // Gets the same block, and would spoil a copy that has not ended.
  const SUNMemory next = helper.allocate(SUNMEMTYPE_PINNED, 64);
  std::fill_n(static_cast<double*>(next->ptr), 8, -7.0);
  device.synchronize(queue);
  EXPECT_EQ(helper.read(target, 8), numbers(8));
  helper.deallocate(next);
  helper.deallocate(target);
}

std::vector<void*> waited_for;  // by the function below, which is called from C
void note_wait(void* queue) noexcept {
  waited_for.push_back(queue);
}

TEST(SunMemoryQueues, QueuesOfTheCallerAreWaitedFor) {
  HostDevice device;
  SunHelper caches(device);
  SunMemoryResources resources = caches.resources();
  resources.wait_for = note_wait;
  const SUNMemoryHelper helper = make_sun_memory_helper(caches.context(), resources);
  int stream = 0;  // anything but a gpu::Queue
  waited_for.clear();
  std::vector<double> in = numbers(8), out(8);
  const SUNMemory from = wrap(helper, in.data(), SUNMEMTYPE_HOST),
                  to = wrap(helper, out.data(), SUNMEMTYPE_HOST);
  SUNMemory memory = nullptr;
  ASSERT_EQ(SUNMemoryHelper_Alloc(helper, &memory, 64, SUNMEMTYPE_DEVICE, &stream), 0);
  EXPECT_EQ(SUNMemoryHelper_CopyAsync(helper, memory, from, 64, &stream), 0);
  EXPECT_EQ(SUNMemoryHelper_Copy(helper, to, memory, 64, nullptr), 0);
  EXPECT_EQ(out, in);
  EXPECT_EQ(SUNMemoryHelper_Dealloc(helper, memory, &stream), 0);
  EXPECT_EQ(waited_for, (std::vector<void*>{&stream, nullptr, &stream}));
  EXPECT_EQ(SUNMemoryHelper_Dealloc(helper, from, &stream), 0);
  EXPECT_EQ(SUNMemoryHelper_Dealloc(helper, to, &stream), 0);
  EXPECT_EQ(SUNMemoryHelper_Destroy(helper), 0);
}

TEST(SunMemoryThreads, ClonesAreIndependent) {
  HostDevice device;
  SunHelper helper(device);
  constexpr int rounds = 200;
  const auto work = [&](SUNMemoryHelper own) {
    for (int i = 0; i < rounds; ++i) {
      SUNMemory memory[2];
      double value = i;
      for (SUNMemory& one : memory)
        ASSERT_EQ(SUNMemoryHelper_Alloc(own, &one, 64 + 8 * (i % 7), SUNMEMTYPE_DEVICE, nullptr), 0);
      const SUNMemory host = wrap(own, &value, SUNMEMTYPE_HOST);
      EXPECT_EQ(SUNMemoryHelper_Copy(own, memory[0], host, 8, nullptr), 0);
      EXPECT_EQ(SUNMemoryHelper_Copy(own, memory[1], memory[0], 8, nullptr), 0);
      value = -1;
      EXPECT_EQ(SUNMemoryHelper_Copy(own, host, memory[1], 8, nullptr), 0);
      EXPECT_EQ(value, i);
      EXPECT_EQ(SUNMemoryHelper_Dealloc(own, host, nullptr), 0);
      for (const SUNMemory one : memory) EXPECT_EQ(SUNMemoryHelper_Dealloc(own, one, nullptr), 0);
    }
    const SunMemoryStatistics statistics = sun_memory_statistics(own, SUNMEMTYPE_DEVICE);
    EXPECT_EQ(statistics.allocations, 2u * rounds);
    EXPECT_EQ(statistics.deallocations, 2u * rounds);
    EXPECT_EQ(statistics.bytes, 0u);
    EXPECT_EQ(SUNMemoryHelper_Destroy(own), 0);
  };
  std::array<::sundials::Context, 3> contexts;  // SUNDIALS asks for one per thread
  std::vector<std::thread> threads;
  for (const ::sundials::Context& context : contexts) {
    const SUNMemoryHelper clone = SUNMemoryHelper_Clone(helper.get());
    clone->sunctx = context;
    threads.emplace_back(work, clone);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(helper.resource(SUNMEMTYPE_DEVICE).stats().live_bytes, 0u);
}

}  // namespace
}  // namespace meander::gpu
