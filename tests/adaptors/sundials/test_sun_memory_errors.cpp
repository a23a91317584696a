// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Failures of a SUNMemoryHelper: each is a code with a message, changes nothing, and loses no memory.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gpu/host_device.hpp"
#include "tests/adaptors/sundials/failing_resource.hpp"
#include "tests/adaptors/sundials/sun_helper.hpp"

namespace meander::gpu {
namespace {

using test::alias;
using test::FailingResource;
using test::SunHelper;
using test::wrap;

constexpr std::size_t mib = std::size_t{1} << 20;

// The failed allocation has the code, and leaves the SUNMemory and the statistics as they were.
void expect_failure(SUNMemoryHelper helper, std::size_t bytes, SUNMemoryType type, int code) {
  const SunMemoryStatistics before = sun_memory_statistics(helper, type);
  const SUNMemory untouched = reinterpret_cast<SUNMemory>(16);
  SUNMemory memory = untouched;
  EXPECT_EQ(SUNMemoryHelper_Alloc(helper, &memory, bytes, type, nullptr), code);
  EXPECT_EQ(memory, untouched);
  const SunMemoryStatistics after = sun_memory_statistics(helper, type);
  EXPECT_EQ(after.allocations, before.allocations);
  EXPECT_EQ(after.bytes, before.bytes);
  EXPECT_NE(sun_memory_message(helper), "");
}

TEST(SunMemoryErrors, TypesWithoutResourceAreRefused) {
  const ::sundials::Context context;
  const SUNMemoryHelper helper = make_sun_memory_helper(context, {});
  SUNMemory memory = nullptr;
  ASSERT_EQ(SUNMemoryHelper_Alloc(helper, &memory, 8, SUNMEMTYPE_HOST, nullptr), 0);
  EXPECT_EQ(sun_memory_message(helper), "");
  for (const SUNMemoryType type : {SUNMEMTYPE_PINNED, SUNMEMTYPE_DEVICE, SUNMEMTYPE_UVM})
    expect_failure(helper, 8, type, sun_error::unsupported);
  EXPECT_EQ(sun_memory_message(helper), "the helper has no resource of managed memory");

  double value = 0;
  const SUNMemory device = wrap(helper, &value, SUNMEMTYPE_DEVICE);
  EXPECT_EQ(SUNMemoryHelper_Copy(helper, device, memory, 8, nullptr), sun_error::unsupported);
  EXPECT_EQ(SUNMemoryHelper_Dealloc(helper, device, nullptr), 0);
  EXPECT_EQ(SUNMemoryHelper_Dealloc(helper, memory, nullptr), 0);
  EXPECT_EQ(SUNMemoryHelper_Destroy(helper), 0);
}

TEST(SunMemoryErrors, ResourcesThatDoNotFitGiveNoHelper) {
  const ::sundials::Context context;
  HostDeviceSettings second;
  second.number = 1;
  HostDevice device, other(second);
  MemoryCache pinned(device, Space::pinned), managed(device, Space::managed);
  EXPECT_EQ(make_sun_memory_helper(nullptr, {}), nullptr);
  EXPECT_EQ(make_sun_memory_helper(context, {.pinned = &pinned}), nullptr);
  EXPECT_EQ(make_sun_memory_helper(context, {.device = &other, .pinned = &pinned}), nullptr);
  EXPECT_EQ(make_sun_memory_helper(context, {.device = &device, .pinned = &managed}), nullptr);
  EXPECT_EQ(make_sun_memory_helper(context, {.device = &device, .host = &pinned}), nullptr);
  const SUNMemoryHelper helper =
      make_sun_memory_helper(context, {.device = &device, .host = nullptr, .pinned = &pinned});
  ASSERT_NE(helper, nullptr);
  expect_failure(helper, 8, SUNMEMTYPE_HOST, sun_error::unsupported);
  EXPECT_EQ(SUNMemoryHelper_Destroy(helper), 0);
}

TEST(SunMemoryErrors, AFullCacheIsReported) {
  HostDevice device;
  CacheTraits traits;
  traits.limit = mib;
  traits.deadline = std::chrono::milliseconds(10);
  for (const Fallback fallback : {Fallback::fail, Fallback::null}) {
    traits.fallback = fallback;
    SunHelper helper(device, traits);
    for (const SUNMemoryType type : {SUNMEMTYPE_PINNED, SUNMEMTYPE_DEVICE, SUNMEMTYPE_UVM}) {
      const SUNMemory half = helper.allocate(type, mib / 2);
      expect_failure(helper.get(), mib * 3 / 4, type, sun_error::out_of_memory);
      EXPECT_NE(helper.message().find("786432 bytes requested, 524288 in use"), std::string::npos)
          << helper.message();
      helper.write(half, std::vector<double>(mib / 16, 3.0));
      EXPECT_EQ(helper.read(half, mib / 16), std::vector<double>(mib / 16, 3.0));
      helper.deallocate(half);
      helper.deallocate(helper.allocate(type, mib * 3 / 4));
    }
  }
}

TEST(SunMemoryErrors, EveryExceptionOfAResourceIsACode) {
  HostDevice device;
  MemoryCache cache(device, Space::device);
  const ::sundials::Context context;
  const std::vector<std::pair<std::function<void()>, int>> cases = {
      {[] {
         throw OutOfMemory(8, 0, {Space::device, 0});
       },
       sun_error::out_of_memory},
      {[] { throw std::bad_alloc(); }, sun_error::out_of_memory},
      {[] {}, sun_error::out_of_memory},  // null
      {[] { throw DeviceError("an injected failure", false); }, sun_error::device_failure},
      {[] { throw std::runtime_error("an injected failure"); }, sun_error::generic},
      {[] { throw 3; }, sun_error::generic}};
  for (const auto& [fail, code] : cases) {
    FailingResource resource(cache, 2, fail);
    const SUNMemoryHelper helper =
        make_sun_memory_helper(context, {.device = &device, .device_memory = &resource});
    SUNMemory first = nullptr, third = nullptr;
    ASSERT_EQ(SUNMemoryHelper_Alloc(helper, &first, 800, SUNMEMTYPE_DEVICE, nullptr), 0);
    expect_failure(helper, 800, SUNMEMTYPE_DEVICE, code);
    ASSERT_EQ(SUNMemoryHelper_Alloc(helper, &third, 800, SUNMEMTYPE_DEVICE, nullptr), 0);
    EXPECT_EQ(cache.stats().live_bytes, 1600u);
    EXPECT_EQ(SUNMemoryHelper_Dealloc(helper, first, nullptr), 0);
    EXPECT_EQ(SUNMemoryHelper_Dealloc(helper, third, nullptr), 0);
    EXPECT_EQ(cache.stats().live_bytes, 0u);
    EXPECT_EQ(SUNMemoryHelper_Destroy(helper), 0);
  }
}

TEST(SunMemoryErrors, RandomFailuresOfTheDeviceLoseNothing) {
  HostDeviceSettings settings;
  settings.allocation_failures = 0.5;
  HostDevice device(settings);
  CacheTraits traits;
  traits.deadline = std::chrono::milliseconds(1);
  SunHelper helper(device, traits);
  std::size_t live = 0, failures = 0;
  std::vector<SUNMemory> all;
  for (std::size_t i = 1; i <= 200; ++i) {
    SUNMemory memory = nullptr;
    const std::size_t bytes = 5000 * i;  // classes of their own, hence calls of the device
    const int code = SUNMemoryHelper_Alloc(helper.get(), &memory, bytes, SUNMEMTYPE_DEVICE, nullptr);
    if (code == 0) {
      all.push_back(memory);
      live += bytes;
    } else {
      EXPECT_EQ(code, sun_error::out_of_memory);
      EXPECT_EQ(memory, nullptr);
      ++failures;
    }
    ASSERT_EQ(helper.resource(SUNMEMTYPE_DEVICE).stats().live_bytes, live);
    ASSERT_EQ(helper.statistics(SUNMEMTYPE_DEVICE).bytes, live);
  }
  EXPECT_GT(failures, 10u);
  EXPECT_EQ(helper.statistics(SUNMEMTYPE_DEVICE).allocations, 200 - failures);
  for (const SUNMemory memory : all) helper.deallocate(memory);
}

TEST(SunMemoryErrors, AFailedCopyIsReportedOnce) {
  HostDeviceSettings settings;
  settings.failing_copy = 2;
  HostDevice device(settings);
  SunHelper helper(device);
  const SUNMemory memory = helper.allocate(SUNMEMTYPE_DEVICE, 64);
  std::vector<double> values(8, 4.0);
  helper.write(memory, values);
  const SUNMemory host = wrap(helper.get(), values.data(), SUNMEMTYPE_HOST);
  EXPECT_EQ(SUNMemoryHelper_Copy(helper.get(), host, memory, 64, nullptr), sun_error::device_failure);
  EXPECT_NE(helper.message().find("injected"), std::string::npos) << helper.message();
  EXPECT_EQ(helper.read(memory, 8), values);
  helper.deallocate(host);
  helper.deallocate(memory);
}

TEST(SunMemoryErrors, AFailedAsynchronousCopyFailsItsQueue) {
  HostDeviceSettings settings;
  settings.failing_copy = 1;
  HostDevice device(settings);
  SunHelper helper(device);
  Queue queue = device.create_queue();
  const SUNMemory memory = helper.allocate(SUNMEMTYPE_DEVICE, 64),
                  pinned = helper.allocate(SUNMEMTYPE_PINNED, 64);
  EXPECT_EQ(SUNMemoryHelper_CopyAsync(helper.get(), memory, pinned, 64, &queue), 0);
  EXPECT_EQ(SUNMemoryHelper_Copy(helper.get(), memory, pinned, 64, &queue), sun_error::device_failure);
  EXPECT_THROW(device.synchronize(queue), DeviceError);
  EXPECT_EQ(SUNMemoryHelper_Copy(helper.get(), memory, pinned, 64, &queue), 0);
  helper.deallocate(memory, &queue);
  helper.deallocate(pinned);
}

TEST(SunMemoryErrors, MemoryOfALostDeviceIsDeallocated) {
  HostDevice device;
  SunHelper helper(device);
  Queue queue = device.create_queue();
  std::vector<SUNMemory> all;
  for (const SUNMemoryType type : test::sun_memory_types) all.push_back(helper.allocate(type, 64));
  device.die();
  EXPECT_EQ(SUNMemoryHelper_Copy(helper.get(), all[1], all[2], 64, nullptr), sun_error::device_failure);
  EXPECT_EQ(SUNMemoryHelper_CopyAsync(helper.get(), all[1], all[2], 64, &queue), sun_error::device_failure);
  expect_failure(helper.get(), mib, SUNMEMTYPE_DEVICE, sun_error::device_failure);
  helper.deallocate(all[2], &queue);
  for (const std::size_t i : {0, 1, 3}) helper.deallocate(all[i]);
  for (const SUNMemoryType type : test::sun_memory_types) EXPECT_EQ(helper.statistics(type).bytes, 0u);
}

TEST(SunMemoryErrors, DeallocationOfForeignMemoryIsRefused) {
  HostDevice device;
  SunHelper helper(device);
  const SUNMemoryHelper stranger = make_sun_memory_helper(helper.context(), helper.resources());
  const SUNMemory memory = helper.allocate(SUNMEMTYPE_UVM, 64);
  const SUNMemory second = alias(helper.get(), memory);
  second->own = SUNTRUE;
  EXPECT_EQ(SUNMemoryHelper_Dealloc(stranger, memory, nullptr), sun_error::corrupt);
  memory->type = SUNMEMTYPE_DEVICE;
  EXPECT_EQ(SUNMemoryHelper_Dealloc(helper.get(), memory, nullptr), sun_error::corrupt);
  memory->type = SUNMEMTYPE_UVM;
  helper.write(memory, std::vector<double>(8, 1.0));
  helper.deallocate(memory);
  EXPECT_EQ(SUNMemoryHelper_Dealloc(helper.get(), second, nullptr),
            sun_error::corrupt);  // for the second time
  second->own = SUNFALSE;
  helper.deallocate(second);
  EXPECT_EQ(SUNMemoryHelper_Destroy(stranger), 0);
}

TEST(SunMemoryErrors, CopiesBeyondTheMemoryAreRefused) {
  HostDevice device;
  SunHelper helper(device);
  for (const SUNMemoryType type : test::sun_memory_types) {
    const SUNMemory small = helper.allocate(type, 64), large = helper.allocate(SUNMEMTYPE_HOST, 128);
    const SUNMemory same = alias(helper.get(), small);
    EXPECT_EQ(SUNMemoryHelper_Copy(helper.get(), same, large, 65, nullptr), sun_error::out_of_range);
    EXPECT_EQ(SUNMemoryHelper_CopyAsync(helper.get(), large, small, 65, nullptr), sun_error::out_of_range);
    EXPECT_EQ(SUNMemoryHelper_Copy(helper.get(), small, nullptr, 8, nullptr), sun_error::corrupt);
    for (const SUNMemory memory : {small, large, same}) helper.deallocate(memory);
  }
  EXPECT_EQ(SUNMemoryHelper_Alloc(helper.get(), nullptr, 8, SUNMEMTYPE_HOST, nullptr), sun_error::corrupt);
}

TEST(SunMemoryErrors, DestroyTellsOfLiveMemory) {
  HostDevice device;
  MemoryCache cache(device, Space::device);
  const ::sundials::Context context;
  const SUNMemoryHelper helper =
      make_sun_memory_helper(context, {.device = &device, .device_memory = &cache});
  const SUNMemoryHelper clone = SUNMemoryHelper_Clone(helper);
  SUNMemory memory = nullptr;
  ASSERT_EQ(SUNMemoryHelper_Alloc(helper, &memory, 64, SUNMEMTYPE_DEVICE, nullptr), 0);
  EXPECT_EQ(SUNMemoryHelper_Destroy(helper), 0);
  EXPECT_EQ(SUNMemoryHelper_Destroy(clone), sun_error::live_memory);
  EXPECT_EQ(cache.stats().live_bytes, 64u);
  cache.deallocate_sync(memory->ptr, 64);
  std::free(memory);
}

}  // namespace
}  // namespace meander::gpu
