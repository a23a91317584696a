// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Threads of a rank, and warnings about idle or shared processors.
#include "simulation/control/thread_plan.hpp"

#include <gtest/gtest.h>

namespace meander::simulation {
namespace {

Processors processors(std::initializer_list<std::size_t> list) {
  Processors mask;
  for (const std::size_t p : list) mask.set(p);
  return mask;
}

std::vector<Processors> ranks_with(std::size_t ranks, const Processors& mask) {
  return std::vector<Processors>(ranks, mask);
}

const Processors four = processors({0, 1, 2, 3});

TEST(ThreadPlan, RanksThatShareAMaskShareItsProcessors) {
  for (const auto& [ranks, threads] : {std::pair<std::size_t, int>{1, 4}, {2, 2}, {4, 1}}) {
    const ThreadPlan plan = plan_threads(ranks_with(ranks, four), ranks - 1, 4, 0, true);
    EXPECT_EQ(plan.threads, threads) << ranks;
    EXPECT_TRUE(plan.warnings.empty()) << ranks;
  }
}

TEST(ThreadPlan, BoundRanksTakeWhatTheyAreBoundTo) {
  const std::vector<Processors> masks = {processors({0, 1}), processors({2, 3})};
  const ThreadPlan plan = plan_threads(masks, 1, 4, 0, true);
  EXPECT_EQ(plan.threads, 2);
  EXPECT_TRUE(plan.warnings.empty());
}

TEST(ThreadPlan, SaysHowToUseIdleProcessors) {
  const std::vector<Processors> masks = {processors({0}), processors({1})};
  const ThreadPlan plan = plan_threads(masks, 0, 4, 0, true);
  EXPECT_EQ(plan.threads, 1);
  ASSERT_EQ(plan.warnings.size(), 1u);
  EXPECT_EQ(
      plan.warnings[0],
      "2 of this node's 4 processors are idle because the ranks are bound to 2; mpirun --bind-to none (or "
      "--map-by "
      "slot:PE=2) allows all 4");
  // No warning if the user has bound the program or set the number of threads.
  EXPECT_TRUE(plan_threads(ranks_with(1, processors({0})), 0, 4, 0, false).warnings.empty());
  EXPECT_TRUE(plan_threads(masks, 0, 4, 1, true).warnings.empty());
}

TEST(ThreadPlan, WarnsIfRanksDoNotDivideTheProcessors) {
  const ThreadPlan plan = plan_threads(ranks_with(3, four), 0, 4, 0, true);
  EXPECT_EQ(plan.threads, 1);
  ASSERT_EQ(plan.warnings.size(), 1u);
  EXPECT_EQ(plan.warnings[0], "1 of 4 processors are idle; a number of ranks that divides 4 would use all");
}

TEST(ThreadPlan, WarnsOfMoreThreadsThanProcessors) {
  const ThreadPlan many = plan_threads(ranks_with(7, four), 6, 4, 0, true);
  EXPECT_EQ(many.threads, 1);
  ASSERT_EQ(many.warnings.size(), 1u);
  EXPECT_EQ(many.warnings[0], "7 ranks with 7 threads in total share 4 processors");
  const ThreadPlan asked = plan_threads(ranks_with(2, processors({0})), 0, 4, 2, true);
  EXPECT_EQ(asked.threads, 2);
  ASSERT_EQ(asked.warnings.size(), 1u);
  EXPECT_EQ(asked.warnings[0],
            "2 ranks with 4 threads in total share 1 processor; mpirun --bind-to none (or --map-by "
            "slot:PE=2) "
            "allows all 4");
}

TEST(ThreadPlan, OfThisProcess) {
  EXPECT_EQ(available_processors(), static_cast<int>(processors_of_process().count()));
  // Reading the usable processors does not change the mask.
  const Processors before = processors_of_process();
  EXPECT_EQ(usable_processors() & before, before);
  EXPECT_EQ(processors_of_process(), before);
  EXPECT_EQ(plan_threads(parallel::Communicator{}, 3).threads, 3);
  EXPECT_EQ(plan_threads(parallel::Communicator{}, 0).threads, available_processors());
}

}  // namespace
}  // namespace meander::simulation
