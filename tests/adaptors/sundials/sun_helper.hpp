// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A device, a cache of each kind of its memory, and a SUNMemoryHelper on them, for tests. Also the calls that
// differ between versions of SUNDIALS.

#include <gtest/gtest.h>

#include <array>
#include <sundials/sundials_context.hpp>
#include <vector>

#include "adaptors/sun_memory_helper.hpp"
#include "gpu/memory_cache.hpp"

namespace meander::gpu::test {

inline constexpr std::array sun_memory_types = {SUNMEMTYPE_HOST, SUNMEMTYPE_PINNED, SUNMEMTYPE_DEVICE,
                                                SUNMEMTYPE_UVM};
inline const char* name(SUNMemoryType type) {
  constexpr const char* names[] = {"Host", "Pinned", "Device", "Uvm"};
  return names[static_cast<int>(type)];
}

inline SUNMemory wrap([[maybe_unused]] SUNMemoryHelper helper, void* pointer, SUNMemoryType type) {
#if MEANDER_SUNDIALS_VERSION >= 700
  return SUNMemoryHelper_Wrap(helper, pointer, type);
#else
  return SUNMemoryHelper_Wrap(pointer, type);
#endif
}
inline SUNMemory alias([[maybe_unused]] SUNMemoryHelper helper, SUNMemory memory) {
#if MEANDER_SUNDIALS_VERSION >= 700
  return SUNMemoryHelper_Alias(helper, memory);
#else
  return SUNMemoryHelper_Alias(memory);
#endif
}

// The caches report what is still allocated at the end of a test as a leak, and abort.
class SunHelper {
 public:
  explicit SunHelper(Device& device, const CacheTraits& traits = {})
      : device_(device),
        pinned_(device, Space::pinned, traits),
        device_memory_(device, Space::device, traits),
        managed_(device, Space::managed, traits),
        helper_(make_sun_memory_helper(context_, resources())) {
    EXPECT_NE(helper_, nullptr);
  }
  ~SunHelper() { EXPECT_EQ(SUNMemoryHelper_Destroy(helper_), 0); }
  SunHelper(const SunHelper&) = delete;
  SunHelper& operator=(const SunHelper&) = delete;

  SunMemoryResources resources() {
    return {.device = &device_, .pinned = &pinned_, .device_memory = &device_memory_, .managed = &managed_};
  }
  Device& device() { return device_; }
  SUNContext context() { return context_; }
  SUNMemoryHelper get() { return helper_; }
  std::string message() { return sun_memory_message(helper_); }
  SunMemoryStatistics statistics(SUNMemoryType type) { return sun_memory_statistics(helper_, type); }
  Resource& resource(SUNMemoryType type) {
    Resource* const all[] = {&host_memory(), &pinned_, &device_memory_, &managed_};
    return *all[static_cast<int>(type)];
  }

  SUNMemory allocate(SUNMemoryType type, std::size_t bytes, void* queue = nullptr) {
    SUNMemory memory = nullptr;
    EXPECT_EQ(SUNMemoryHelper_Alloc(helper_, &memory, bytes, type, queue), 0) << message();
    return memory;
  }
  void deallocate(SUNMemory memory, void* queue = nullptr) {
    EXPECT_EQ(SUNMemoryHelper_Dealloc(helper_, memory, queue), 0) << message();
  }
  // Copies between memory of any type and an array of the host.
  void write(SUNMemory memory, std::vector<double> values, std::size_t bytes) {
    const SUNMemory host = wrap(helper_, values.data(), SUNMEMTYPE_HOST);
    EXPECT_EQ(SUNMemoryHelper_Copy(helper_, memory, host, bytes, nullptr), 0) << message();
    deallocate(host);
  }
  void write(SUNMemory memory, const std::vector<double>& values) {
    write(memory, values, values.size() * sizeof(double));
  }
  std::vector<double> read(SUNMemory memory, std::size_t count) {
    std::vector<double> values(count, -1);
    const SUNMemory host = wrap(helper_, values.data(), SUNMEMTYPE_HOST);
    EXPECT_EQ(SUNMemoryHelper_Copy(helper_, host, memory, count * sizeof(double), nullptr), 0) << message();
    deallocate(host);
    return values;
  }

 private:
  ::sundials::Context context_;
  Device& device_;
  MemoryCache pinned_, device_memory_, managed_;
  SUNMemoryHelper helper_;
};

}  // namespace meander::gpu::test
