// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Ratios and schedule of local time steps.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

#include "tasks/level_clock.hpp"
#include "tasks/step_plan.hpp"

namespace meander::tasks {
namespace {

using Leaves = std::vector<std::int64_t>;
using Limits = std::vector<double>;
using Ratios = std::vector<int>;
constexpr double infinite = std::numeric_limits<double>::infinity();

// Steps of each level in one step of level 0: products of ratios.
Leaves steps_by_level(const Ratios& ratios) {
  Leaves steps(ratios.begin(), ratios.end());
  std::partial_sum(steps.begin(), steps.end(), steps.begin(), std::multiplies<>());
  return steps;
}

double work_a_time(const Leaves& leaves, const StepPlan& plan) {
  const Leaves steps = steps_by_level(plan.ratios);
  return static_cast<double>(
             std::inner_product(leaves.begin(), leaves.end(), steps.begin(), std::int64_t{0})) /
         plan.dt;
}

TEST(StepPlanQuick, ThirdsTheStepOfEachLevelIfWaveSpeedsAreEqual) {
  const StepPlan plan = plan_steps(Limits{9, 3, 1}, Leaves{26, 26, 27}, 2);
  EXPECT_EQ(plan.ratios, (Ratios{1, 3, 3}));
  EXPECT_EQ(plan.dt, 9);
}

TEST(StepPlanQuick, SubcyclesOnlyTheFinestLevelsThatItMay) {
  EXPECT_EQ(plan_steps(Limits{9, 3, 1}, Leaves{26, 26, 27}, 1).ratios, (Ratios{1, 1, 3}));
  EXPECT_EQ(plan_steps(Limits{9, 3, 1}, Leaves{26, 26, 27}, 1).dt, 3);
  EXPECT_EQ(plan_steps(Limits{9, 3, 1}, Leaves{26, 26, 27}, 0).ratios, (Ratios{1, 1, 1}));
  EXPECT_EQ(plan_steps(Limits{9, 3, 1}, Leaves{26, 26, 27}, 0).dt, 1);
  EXPECT_EQ(plan_steps(Limits{9, 3, 1}, Leaves{26, 26, 27}, 7).ratios, (Ratios{1, 3, 3}));
}

// Gravity limits a step by the root of the width: ratios of sqrt(3).
TEST(StepPlanQuick, ChoosesSmallerRatiosWhereACoarseLevelIsTheLimit) {
  const double root = std::sqrt(3);
  const StepPlan plan = plan_steps(Limits{root, 1}, Leaves{1, 27}, 1);
  EXPECT_EQ(plan.ratios, (Ratios{1, 1})) << "(1 + 27) / 1 < (1 + 2 * 27) / sqrt(3)";
  const StepPlan nest = plan_steps(Limits{root, 1}, Leaves{100, 27}, 1);
  EXPECT_EQ(nest.ratios, (Ratios{1, 2}));
  EXPECT_EQ(nest.dt, root);
  const StepPlan slow = plan_steps(Limits{1, 5}, Leaves{26, 27}, 1);
  EXPECT_EQ(slow.ratios, (Ratios{1, 1})) << "a fine level that could take longer steps";
  EXPECT_EQ(slow.dt, 1);
}

TEST(StepPlanQuick, TakesTheLargerRatioIfTheWorkIsEqual) {
  EXPECT_EQ(plan_steps(Limits{9, 1}, Leaves{0, 27}, 1).ratios, (Ratios{1, 3}));
}

TEST(StepPlanQuick, HasNoLengthIfALevelCannotAdvance) {
  for (const Limits& limits : {Limits{0, 3, 1}, {9, 3, 0}, {infinite, 0, infinite}})
    EXPECT_EQ(plan_steps(limits, Leaves{26, 26, 27}, 2).dt, 0);
}

TEST(StepPlanQuick, HasNoRatiosWithoutWaves) {
  const StepPlan plan = plan_steps(Limits{infinite, infinite}, Leaves{26, 27}, 1);
  EXPECT_EQ(plan.ratios, (Ratios{1, 1}));
  EXPECT_EQ(plan.dt, infinite);
  EXPECT_EQ(plan_steps(Limits{2.5}, Leaves{9}, 3).dt, 2.5);
}

// Against all 3^4 plans.
TEST(StepPlanQuick, HasTheLeastWorkOfAllPlansAndExceedsNoLimit) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> factor(0.7, 5);
  std::uniform_int_distribution<std::int64_t> number(1, 300);
  for (int trial = 0; trial < 200; ++trial) {
    Limits limits(5);
    Leaves leaves(5);
    double limit = 1;
    for (std::size_t level = 5; level-- > 0;) {
      limits[level] = limit;
      limit *= factor(random);
      leaves[level] = number(random);
    }
    const StepPlan plan = plan_steps(limits, leaves, 4);
    double dt = plan.dt;
    for (std::size_t level = 0; level < 5; ++level) {
      dt /= plan.ratios[level];
      EXPECT_LE(dt, limits[level] * (1 + 1e-12));
    }
    for (int code = 0; code < 81; ++code) {
      StepPlan other{infinite, {1, code % 3 + 1, code / 3 % 3 + 1, code / 9 % 3 + 1, code / 27 + 1}};
      const auto steps = steps_by_level(other.ratios);
      for (std::size_t level = 0; level < 5; ++level)
        other.dt = std::min(other.dt, static_cast<double>(steps[level]) * limits[level]);
      EXPECT_LE(work_a_time(leaves, plan), work_a_time(leaves, other) * (1 + 1e-11));
    }
    const Ratios again =
        choose_ratios(plan.dt, std::span(limits).subspan(1), std::span(leaves).subspan(1), 4);
    EXPECT_TRUE(std::equal(again.begin(), again.end(), plan.ratios.begin() + 1)) << "trial " << trial;
  }
}

// Every combination of the last levels, larger ratios of coarser levels first.
void for_all_ratios(std::size_t levels, std::size_t free, int most,
                    const std::function<void(const Ratios&)>& body) {
  Ratios ratios(levels, 1);
  const std::function<void(std::size_t)> from = [&](std::size_t level) {
    if (level == levels) return body(ratios);
    for (ratios[level] = level < levels - free ? 1 : most; ratios[level] > 0; --ratios[level])
      from(level + 1);
  };
  from(0);
}

// The definition of plan_steps() and choose_ratios(), word by word.
StepPlan plan_by_all(const Limits& limits, const Leaves& leaves, std::size_t free) {
  StepPlan best{infinite, Ratios(limits.size(), 1)};
  double least = infinite;
  for_all_ratios(limits.size(), free, 3, [&](const Ratios& ratios) {
    StepPlan plan{infinite, ratios};
    double steps = 1, updates = 0;
    for (std::size_t level = 0; level < limits.size(); ++level) {
      steps *= ratios[level];
      updates += static_cast<double>(leaves[level]) * steps;
      plan.dt = std::min(plan.dt, steps * limits[level]);
    }
    if (!(updates / plan.dt < least * (1 - 1e-12))) return;
    least = updates / plan.dt;
    best = plan;
  });
  return best;
}
Ratios choose_by_all(double dt, const Limits& limits, const Leaves& leaves, std::size_t free) {
  for (int most = 3; most <= 9; ++most) {
    Ratios best;
    double least = infinite;
    for_all_ratios(limits.size(), free, most, [&](const Ratios& ratios) {
      double steps = 1, updates = 0;
      for (std::size_t level = 0; level < limits.size(); ++level) {
        steps *= ratios[level];
        updates += static_cast<double>(leaves[level]) * steps;
        if (level >= limits.size() - free && dt > steps * limits[level] * (1 + 1e-12)) return;
      }
      if (!(updates < least)) return;
      least = updates;
      best = ratios;
    });
    if (!best.empty()) return best;
  }
  Ratios largest(limits.size(), 1);
  std::fill(largest.end() - static_cast<std::ptrdiff_t>(free), largest.end(), 9);
  return largest;
}

// Limits with exact ratios and equal ones, infinite limits and levels without leaves among them, which give ties.
TEST(StepPlanQuick, AndRatiosAreThoseOfASearchThroughAllOfThem) {
  std::mt19937 random(11);
  const auto number = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  int large = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const auto levels = static_cast<std::size_t>(1 + number(5));
    const auto free = static_cast<std::size_t>(number(static_cast<int>(levels)));
    Limits limits(levels);
    Leaves leaves(levels);
    double limit = 1;
    const bool exact = number(2) == 0;
    for (std::size_t level = levels; level-- > 0;) {
      limits[level] = number(12) == 0 ? infinite : limit;
      limit *= exact ? 1 + number(3) : 0.5 + 0.001 * number(4000);
      leaves[level] = number(8) == 0 ? 0 : number(300);
    }
    const StepPlan plan = plan_steps(limits, leaves, static_cast<int>(free)),
                   expected = plan_by_all(limits, leaves, free);
    if (!std::isinf(expected.dt)) {
      EXPECT_EQ(plan.ratios, expected.ratios) << "trial " << trial;
      EXPECT_EQ(plan.dt, expected.dt) << "trial " << trial;
    }
    // Wave speeds have grown since.
    const double dt = std::isinf(plan.dt) ? 1 : plan.dt * (1 + 0.01 * number(trial % 3 == 0 ? 600 : 60));
    const Limits finer(limits.begin() + 1, limits.end());
    const Leaves of_finer(leaves.begin() + 1, leaves.end());
    const Ratios ratios = choose_ratios(dt, finer, of_finer, static_cast<int>(free));
    EXPECT_EQ(ratios, choose_by_all(dt, finer, of_finer, free)) << "trial " << trial;
    large += std::ranges::count_if(ratios, [](int ratio) { return ratio > 3; }) > 0 ? 1 : 0;
  }
  EXPECT_GT(large, 20);
}

// A search through all 9^9 combinations would take hours.
TEST(StepPlanQuick, IsQuickForManyLevels) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> factor(0.7, 5);
  for (int trial = 0; trial < 300; ++trial) {
    Limits limits(10);
    Leaves leaves(10, 26);
    double limit = 1;
    for (std::size_t level = 10; level-- > 0;) {
      limits[level] = limit;
      limit *= trial == 0 ? 1 : trial == 1 ? 3 : trial == 2 ? std::sqrt(3) : factor(random);
    }
    const StepPlan plan = plan_steps(limits, leaves, 9);
    const double slower = trial % 2 == 0 ? 1 : 1.5;
    const Ratios ratios =
        choose_ratios(slower * plan.dt, std::span(limits).subspan(1), std::span(leaves).subspan(1), 9);
    if (slower == 1) {
      EXPECT_TRUE(std::equal(ratios.begin(), ratios.end(), plan.ratios.begin() + 1)) << "trial " << trial;
    }
  }
}

TEST(Ratios, GrowWithWaveSpeedsUpToNine) {
  const Leaves leaves{26, 27};
  EXPECT_EQ(choose_ratios(9, Limits{3, 1}, leaves, 2), (Ratios{3, 3}));
  EXPECT_EQ(choose_ratios(9, Limits{3, 2}, leaves, 2), (Ratios{3, 2}));
  EXPECT_EQ(choose_ratios(3, Limits{3, 1}, leaves, 2), (Ratios{1, 3}));
  EXPECT_EQ(choose_ratios(9, Limits{9, 1}, leaves, 2), (Ratios{3, 3})) << "the finest level needs nine steps";
  EXPECT_EQ(choose_ratios(1, Limits{0.1999}, Leaves{27}, 1), (Ratios{6}));
  EXPECT_EQ(choose_ratios(1, Limits{0.2}, Leaves{27}, 1), (Ratios{5})) << "rounding";
  EXPECT_EQ(choose_ratios(1, Limits{0.01}, Leaves{27}, 1), (Ratios{9}));
  EXPECT_EQ(choose_ratios(3, Limits{1, 1}, leaves, 1), (Ratios{1, 3})) << "the first shares the step";
  EXPECT_EQ(choose_ratios(3, Limits{}, Leaves{}, 1), (Ratios{}));
}

// All ticks of a step, in order, with fixed ratios.
TEST(LevelClockQuick, BeginsAndEndsLevelsInTheirOrder) {
  const Ratios ratios{1, 2, 3};
  LevelClock clock;
  clock.start(3, 10, 6);
  std::vector<std::pair<std::size_t, std::size_t>> seen;
  std::vector<double> times, thetas;
  std::vector<int> begun(3, 0);
  while (!clock.is_done()) {
    const std::size_t first = clock.first();
    for (std::size_t level = 0; level < 3; ++level) {
      const double expected = level < first ? (clock[first].t - clock[level].t) / clock[level].dt : 0;
      EXPECT_DOUBLE_EQ(clock.passed(level), expected) << "level " << level;
    }
    clock.begin_finer(std::span(ratios).subspan(first + 1));
    for (std::size_t level = first; level < 3; ++level) {
      ++begun[level];
      EXPECT_EQ(clock[level].t, clock[2].t) << "levels that begin together stand at one time";
    }
    times.push_back(clock[2].t);
    thetas.push_back(clock[2].theta());
    seen.emplace_back(first, clock.end_tick());
  }
  EXPECT_EQ(seen, (std::vector<std::pair<std::size_t, std::size_t>>{
                      {0, 2}, {2, 2}, {2, 1}, {1, 2}, {2, 2}, {2, 0}}));
  EXPECT_EQ(times, (std::vector<double>{10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(thetas, (std::vector<double>{0, 1.0 / 3, 2.0 / 3, 0, 1.0 / 3, 2.0 / 3}));
  EXPECT_EQ(begun, (Ratios{1, 2, 6}));
}

// A ratio that changes between two steps of the coarser level.
TEST(LevelClockQuick, TakesNewRatiosAtEachStepOfTheCoarserLevel) {
  LevelClock clock;
  clock.start(3, 0, 1);
  int ticks = 0;
  for (int parents = 0; !clock.is_done(); ++ticks) {
    if (clock.first() == 0) clock.begin_finer(Ratios{2, 1});
    if (clock.first() == 1) {
      clock.begin_finer(Ratios{4});
      ++parents;
    }
    EXPECT_EQ(parents, clock.first() == 0 ? 0 : 1);
    clock.end_tick();
  }
  EXPECT_EQ(ticks, 5);
  clock.start(1, 0, 1);
  clock.begin_finer({});
  EXPECT_EQ(clock.end_tick(), 0U);
  EXPECT_TRUE(clock.is_done());
}

}  // namespace
}  // namespace meander::tasks
