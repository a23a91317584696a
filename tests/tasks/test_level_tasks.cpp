// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Order and deadlines of the tasks of local time steps.

#include "tasks/level_tasks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <numeric>

namespace meander::tasks {
namespace {

// Levels 0 to 2. Leaf 10 l + 1 is a skeleton of level l, leaves 10 l + 2 and 10 l + 3 are enclaves.
class LevelTasksOf : public testing::TestWithParam<int> {
 public:
  void start() {
    done_.clear();
    tasks_.start(0, 3, [this](std::int32_t leaf) {
      const std::lock_guard lock(mutex_);
      done_.push_back(leaf);
    });
    for (const std::size_t level : {0, 1, 2}) put(level);
  }
  void put(std::size_t level) {
    const auto first = static_cast<std::int32_t>(10 * level);
    if (level < 2) tasks_.put(level, LevelRole::skeleton, std::vector{first + 1});
    tasks_.put(level, LevelRole::enclave, std::vector{first + 2});
    tasks_.put(level, LevelRole::enclave, std::vector{first + 3});
  }
  bool is_done(std::initializer_list<std::int32_t> leaves) const {
    return std::ranges::all_of(leaves,
                               [&](std::int32_t leaf) { return std::ranges::count(done_, leaf) == 1; });
  }

 protected:
  ThreadTeam team_{GetParam()};
  OverlapMeter messages_;
  LevelTasks tasks_{team_, messages_};
  std::vector<std::int32_t> done_;
  std::mutex mutex_;
};
INSTANTIATE_TEST_SUITE_P(Threads, LevelTasksOf, testing::Values(1, 2, 4));

TEST_P(LevelTasksOf, EachLeafIsUpdatedOnceAndByItsDeadline) {
  for (const std::uint64_t seed : {0, 1, 2, 3, 4}) {
    tasks_.shuffle(seed);
    start();
    tasks_.finish(2);
    EXPECT_TRUE(is_done({11, 22, 23})) << "seed " << seed;
    put(2);
    tasks_.finish(1);
    EXPECT_EQ(std::ranges::count(done_, 22), 2);
    EXPECT_TRUE(is_done({1, 11, 12, 13}));
    tasks_.finish(0);
    EXPECT_TRUE(is_done({1, 2, 3, 11, 12, 13}));
    EXPECT_EQ(done_.size(), 10u);
  }
}

TEST_P(LevelTasksOf, OneThreadTakesTheEarliestDeadlineFirst) {
  if (team_.size() > 1) return;
  start();
  tasks_.finish(2);
  EXPECT_EQ(done_, (std::vector{11, 22, 23})) << "enclaves of coarser levels wait";
  tasks_.finish(0);
  EXPECT_EQ(done_, (std::vector{11, 22, 23, 1, 12, 13, 2, 3}));
}

TEST_P(LevelTasksOf, WaitsForMessagesAreFilledUntilTheyArrive) {
  start();
  tasks_.work_until([] { return true; });
  EXPECT_TRUE(done_.empty());
  tasks_.work_until([this] {
    const std::lock_guard lock(mutex_);
    return done_.size() >= 2;
  });
  EXPECT_GE(done_.size(), 2u);
  tasks_.work_until([] { return false; });
  EXPECT_EQ(done_.size(), 8u) << "it returns if no task is left";
}

}  // namespace
}  // namespace meander::tasks
