// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Schedule of checkpoints and stops: wall times, signals, intervals.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "base/error.hpp"
#include "simulation/control/stopping.hpp"
#include "simulation/control/walltime.hpp"

namespace meander::simulation {
namespace {

TEST(Walltime, ReadsWhatSlurmReads) {
  const std::pair<const char*, double> times[] = {
      {"90", 5400},       {"1:30", 90},          {"02:03:04", 7384}, {"2-0", 172800},
      {"1-02:30", 95400}, {"1-02:03:04", 93784}, {"0:00:01", 1},     {"100:00:00", 360000},
  };
  for (const auto& [text, seconds] : times) EXPECT_EQ(parse_walltime(text), seconds) << text;
}

TEST(Walltime, RefusesTheRest) {
  for (const char* text :
       {"",        "0",       "00:00:00", "1:2:3:4", "1-2:3:4:5", "-5",        "5-", "1:-2",
        "1.5",     "1:",      ":1",       "1h",      "1--2",      "1-2-3",     " 1", "12345678901234567890",
        "1:00:61", "1:60:00", "1:60",     "1-24",    "1-23:60",   "1-23:59:60"}) {
    EXPECT_THROW(parse_walltime(text), InputError) << text;
  }
}

TEST(StopRequests, SignalsSetFlagsAndNothingElse) {
  StopRequests requests;
  EXPECT_FALSE(requests.take_checkpoint_request());
  EXPECT_EQ(requests.stop_signal(), 0);
  std::raise(SIGUSR1);
  EXPECT_TRUE(requests.take_checkpoint_request());
  EXPECT_FALSE(requests.take_checkpoint_request());
  EXPECT_EQ(requests.stop_signal(), 0);
  std::raise(SIGUSR2);
  EXPECT_EQ(requests.stop_signal(), SIGUSR2);
  std::raise(SIGUSR1);  // after a stop it is still a checkpoint
  EXPECT_TRUE(requests.take_checkpoint_request());
}

TEST(StopRequests, ASecondOneEndsTheProcess) {
  const auto twice = [](int first, int second) {
    const StopRequests requests;
    std::raise(first);
    std::raise(second);
  };
  EXPECT_EXIT(twice(SIGTERM, SIGTERM), testing::KilledBySignal(SIGTERM), "");
  EXPECT_EXIT(twice(SIGTERM, SIGINT), testing::KilledBySignal(SIGINT), "");
}

TEST(StopRequests, LeaveSignalsAsTheyWere) {
  { const StopRequests requests; }
  EXPECT_EXIT(std::raise(SIGUSR1), testing::KilledBySignal(SIGUSR1), "");
}

TEST(StopRequests, AreTooLateWhereTheProcessOnlyEndsAfterThem) {
  const auto late = [](int signals) {
    { const StopRequests requests(StopRequests::Afterwards::too_late); }
    std::raise(SIGUSR1);
    for (int n = 0; n < signals; ++n) std::raise(SIGTERM);
    std::_Exit(0);
  };
  EXPECT_EXIT(late(1), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(late(2), testing::KilledBySignal(SIGTERM), "");
}

std::optional<Agreed> at(double now, double longest_step = 0.1) {
  Agreed agreed;
  agreed.now = now;
  agreed.longest_step = longest_step;
  return agreed;
}

TEST(CheckpointSchedule, EveryNSteps) {
  CheckpointSchedule schedule({.every_steps = 3}, 0, 0, 1);
  for (int step = 1; step <= 12; ++step) {
    EXPECT_EQ(schedule.after_step(step, at(step)), step % 3 == 0 ? Due::checkpoint : Due::nothing) << step;
  }
  // Steps are counted without any agreement.
  EXPECT_EQ(schedule.after_step(15, std::nullopt), Due::checkpoint);
}

TEST(CheckpointSchedule, EveryNMinutesSinceTheLast) {
  CheckpointSchedule schedule({.every_minutes = 2}, 0, 5, 1);
  EXPECT_EQ(schedule.after_step(1, at(124)), Due::nothing);
  EXPECT_EQ(schedule.after_step(2, at(125)), Due::checkpoint);
  schedule.written(130, 5);
  EXPECT_EQ(schedule.after_step(3, at(249)), Due::nothing);
  EXPECT_EQ(schedule.after_step(4, std::nullopt), Due::nothing);
  EXPECT_EQ(schedule.after_step(5, at(250)), Due::checkpoint);
}

TEST(CheckpointSchedule, RequestsOfAnyRank) {
  CheckpointSchedule schedule({}, 0, 0, 1);
  Agreed agreed;
  EXPECT_EQ(schedule.after_step(1, agreed), Due::nothing);
  agreed.checkpoint = true;
  EXPECT_EQ(schedule.after_step(2, agreed), Due::checkpoint);
  agreed.stop_signal = SIGTERM;
  EXPECT_EQ(schedule.after_step(3, agreed), Due::stop);
}

TEST(CheckpointSchedule, StopsAheadOfTheWallTimeByTwoCheckpointsAndTheLongestStep) {
  CheckpointSchedule schedule({}, 100, 0, 5);
  EXPECT_EQ(schedule.after_step(1, at(50, 3)), Due::nothing);
  EXPECT_EQ(schedule.after_step(2, at(86.5, 1)), Due::nothing);  // 86.5 + 2 * 5 + 3 < 100
  EXPECT_EQ(schedule.written(87, 2), Due::nothing);
  EXPECT_EQ(schedule.after_step(3, at(92.5, 1)), Due::nothing);  // 92.5 + 2 * 2 + 3 < 100
  EXPECT_EQ(schedule.after_step(4, at(93, 1)), Due::stop);
}

TEST(CheckpointSchedule, MeasuresACheckpointBeforeItStopsForAnEstimate) {
  // The estimate for a machine with many nodes: far longer than the wall time.
  CheckpointSchedule schedule({}, 100, 0, 1000);
  EXPECT_EQ(schedule.after_step(1, at(10, 3)), Due::checkpoint);
  EXPECT_EQ(schedule.written(15, 4), Due::nothing);
  EXPECT_EQ(schedule.after_step(2, at(88, 1)), Due::nothing);  // 88 + 2 * 4 + 3 < 100
  EXPECT_EQ(schedule.after_step(3, at(89, 1)), Due::stop);
}

TEST(CheckpointSchedule, StopsAfterACheckpointThatLeavesNoTimeForAStep) {
  CheckpointSchedule schedule({}, 100, 0, 1000);
  EXPECT_EQ(schedule.after_step(1, at(80, 3)), Due::checkpoint);
  EXPECT_EQ(schedule.written(88, 8), Due::stop);  // 88 + 2 * 8 + 3 > 100
  // A signal waits for no measurement.
  CheckpointSchedule asked({}, 100, 0, 1000);
  std::optional<Agreed> agreed = at(80);
  agreed->stop_signal = SIGTERM;
  EXPECT_EQ(asked.after_step(1, agreed), Due::stop);
}

TEST(CheckpointSchedule, CountsAllStepsBetweenAgreements) {
  CheckpointSchedule schedule({}, 10, 0, 0);
  schedule.written(0, 0);
  Agreed agreed{.now = 5, .longest_step = 0.1, .steps = 49};
  EXPECT_EQ(schedule.after_step(49, agreed), Due::nothing);
  agreed.steps = 50;
  EXPECT_EQ(schedule.after_step(99, agreed), Due::stop);
}

TEST(StepAgreement, ShortStepsAgreeSeldomAndLongStepsAlways) {
  const auto agreements = [](double step_seconds) {
    StepAgreement agreement{parallel::Communicator{}};
    int count = 0;
    for (int step = 0; step < 1000; ++step) {
      if (agreement.after_step(
              0, step_seconds, [] { return false; }, 0))
        ++count;
    }
    return count;
  };
  EXPECT_EQ(agreements(2e-3), 1000);
  EXPECT_EQ(agreements(1e-4), 100);
  EXPECT_LE(agreements(1e-9), 11);
  EXPECT_GE(agreements(1e-9), 10);
}

TEST(StepAgreement, KeepsRequestsUntilItAsks) {
  StepAgreement agreement{parallel::Communicator{}};
  StopRequests requests;
  const auto ask = [&] {
    return agreement.after_step(
        0, 1e-4, [&] { return requests.take_checkpoint_request(); }, requests.stop_signal());
  };
  ASSERT_TRUE(ask());
  std::raise(SIGUSR1);
  std::optional<Agreed> agreed;
  for (int step = 0; step < 100 && !agreed; ++step) agreed = ask();
  ASSERT_TRUE(agreed);
  EXPECT_TRUE(agreed->checkpoint);
  EXPECT_GT(agreed->steps, 1);
}

}  // namespace
}  // namespace meander::simulation
