// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/thread_team.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <numeric>
#include <random>
#include <stdexcept>

#include "base/instrumented_threads.hpp"

namespace meander {
namespace {

TEST(CutByWeight, IsContiguousAndWithinOneItemOfIdeal) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> weight(0.1, 3);
  for (const int parts : {1, 2, 3, 7, 50}) {
    for (const std::size_t items : {0, 1, 5, 49, 1000}) {
      std::vector<double> weights(items);
      for (double& w : weights) w = weight(random);
      const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
      std::size_t begin = 0;
      double sum = 0;
      int part = 0;
      for (const Chunk& chunk : cut_by_weight(weights, parts)) {
        EXPECT_EQ(chunk.begin, begin);
        EXPECT_LE(chunk.begin, chunk.end);
        for (std::size_t i = chunk.begin; i < chunk.end; ++i) sum += weights[i];
        // Every cut is within half the largest item of the ideal cut, so a part differs by one item at most.
        EXPECT_NEAR(sum, total * ++part / parts, 1.5 + 1e-9);
        begin = chunk.end;
      }
      EXPECT_EQ(begin, items);
    }
  }
}

TEST(ThreadTeam, CoversEveryItemOnce) {
  for (const int threads : {1, 2, 5}) {
    ThreadTeam team(threads);
    std::vector<std::atomic<int>> seen(1001);
    team.for_chunks(seen.size(), [&](int, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) ++seen[i];
    });
    for (const auto& count : seen) EXPECT_EQ(count, 1);
  }
}

TEST(ThreadTeam, RethrowsExceptionsOfBodies) {
  ThreadTeam team(2);
  EXPECT_THROW(team.run(4,
                        [](int part) {
                          if (part == 3) throw std::runtime_error("three");
                        }),
               std::runtime_error);
}

TEST(InstrumentedThreads, RunEveryPartOnceAndRethrowExceptions) {
  for (const int threads : {1, 2, 5}) {
    InstrumentedThreads team(threads);
    std::vector<std::atomic<int>> seen(13);
    for (int round = 0; round < 10; ++round) {
      EXPECT_THROW(team.run(static_cast<int>(seen.size()),
                            [&](int part) {
                              ++seen[static_cast<std::size_t>(part)];
                              // The last part: an exception ends the share of its thread.
                              if (part == 12) throw std::runtime_error("twelve");
                            }),
                   std::runtime_error);
    }
    for (const auto& count : seen) EXPECT_EQ(count, 10);
  }
}

TEST(InstrumentedThreads, RunNestedParts) {
  InstrumentedThreads team(3);
  std::atomic<int> done = 0;
  team.run(3, [&](int) { team.run(4, [&](int) { ++done; }); });
  EXPECT_EQ(done, 12);
}

#if defined(__SANITIZE_THREAD__)
TEST(ThreadTeam, RacesAreReportedByThreadSanitizer) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        ThreadTeam team(2);
        long sum = 0;
        team.run(2, [&](int part) {
          for (int i = 0; i < 1000; ++i) sum += part;
        });
        std::exit(0);
      },
      testing::ExitedWithCode(66), "data race");
}
#endif

}  // namespace
}  // namespace meander
