// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/once_per_device.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "gpu/device.hpp"

namespace meander::gpu {
namespace {

TEST(OncePerDevice, ManyThreadsFindTheNumberOnce) {
  constexpr int threads = 8, calls = 1000, devices = 3;
  OncePerDevice limit;
  std::atomic<int> found{0}, wrong{0};
  {
    std::vector<std::jthread> team;
    for (int thread = 0; thread < threads; ++thread) {
      team.emplace_back([&] {
        for (int call = 0; call < calls; ++call) {
          const int device = call % devices;
          const long value = limit(device, [&] {
            ++found;
            return 100L * device;
          });
          wrong += value != 100 * device;
        }
      });
    }
  }
  EXPECT_EQ(found, devices);
  EXPECT_EQ(wrong, 0);
}

TEST(OncePerDevice, TriesAgainAfterAFailure) {
  OncePerDevice limit;
  EXPECT_THROW(limit(0, []() -> long { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_EQ(limit(0, [] { return 7L; }), 7);
  EXPECT_EQ(limit(0, [] { return 8L; }), 7);
}

TEST(OncePerDevice, KnowsNoDeviceBeyondItsTable) {
  OncePerDevice limit;
  EXPECT_EQ(limit(1000, [] { return 7L; }), 7);
  EXPECT_EQ(limit(1000, [] { return 8L; }), 8);
}

// The driver reads the variable at its first call.
TEST(CudaConnections, AreAsManyAsThereAreUnlessSet) {
  constexpr const char* name = "CUDA_DEVICE_MAX_CONNECTIONS";
  const auto value_after = [&] {
    make_devices("auto");
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  const char* const before = std::getenv(name);
  const std::string kept = before == nullptr ? "" : before;
  ::unsetenv(name);
  EXPECT_EQ(value_after(), "32");
  ::setenv(name, "8", 1);
  EXPECT_EQ(value_after(), "8");
  kept.empty() ? ::unsetenv(name) : ::setenv(name, kept.c_str(), 1);
}

}  // namespace
}  // namespace meander::gpu
