// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The forecast of a run's duration on synthetic histories of leaves and time steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <utility>

#include "io/progress.hpp"

namespace meander::io {
namespace {

constexpr double seconds_per_update = 1e-3;

// The next step of a run at time t.
struct NextStep {
  double dt = 1e-3, volumes = 100;
};
using StepsOf = std::function<NextStep(double t)>;

struct Course {
  StepsOf next;
  double t_begin = 0, t_end = 1;
  double noise = 0;  // relative, of the wall time of a step

  std::vector<RunPosition> positions() const {
    std::vector<RunPosition> all = {{0, t_begin, 0, 0}};
    std::mt19937 random(1);
    std::uniform_real_distribution<double> factor(1 - noise, 1 + noise);
    while (all.back().t < t_end) {
      const RunPosition& last = all.back();
      const NextStep step = next(last.t);
      const double t = last.t + step.dt > t_end - 1e-9 * step.dt ? t_end : last.t + step.dt;
      all.push_back({last.step + 1, t, last.work + step.volumes,
                     last.seconds + step.volumes * seconds_per_update * factor(random)});
    }
    return all;
  }
};

struct Quality {
  double factor = 1;  // worst ratio of predicted to true remaining time, between a third and 95 % of the work
  double backwards = 0;  // largest fall of the fraction below an earlier one, from a third on
  double fraction = 0;   // largest error of the fraction, from a third on
  double early = 0;      // the same, from a twentieth to a third
};

// Restarts after `restart` of the run, and predicts its end from there.
Quality quality(const Course& run, double restart = 0, std::int64_t max_steps = 0) {
  const auto positions = run.positions();
  const auto first = static_cast<std::size_t>(restart * static_cast<double>(positions.size() - 1));
  const RunPosition& last = positions.back();
  Forecaster forecaster(run.t_begin, positions[first], {max_steps > 0 ? 1e9 : run.t_end, max_steps});
  const double own_work = last.work - positions[first].work;
  Quality quality;
  double largest = 0;
  for (std::size_t i = first + 1; i + 1 < positions.size(); ++i) {
    const RunPosition& now = positions[i];
    forecaster.add(now);
    const Forecast forecast = forecaster.forecast();
    EXPECT_TRUE(forecast.fraction >= 0 && forecast.fraction <= 1) << forecast.fraction;
    EXPECT_TRUE(std::isfinite(forecast.seconds));
    const double done = (now.work - positions[first].work) / own_work;
    const double error = std::abs(forecast.fraction - now.work / last.work);
    if (done >= 0.05 && done < 1.0 / 3) quality.early = std::max(quality.early, error);
    if (done < 1.0 / 3) continue;
    largest = std::max(largest, forecast.fraction);
    quality.backwards = std::max(quality.backwards, largest - forecast.fraction);
    quality.fraction = std::max(quality.fraction, error);
    if (done > 0.95) continue;
    const double ratio = forecast.seconds / (last.seconds - now.seconds);
    quality.factor = std::max({quality.factor, ratio, 1 / ratio});
  }
  std::printf("remaining time within a factor of %.2f; fraction within %.3f, backwards %.3f, early %.3f\n",
              quality.factor, quality.fraction, quality.backwards, quality.early);
  return quality;
}

Course steady() {
  return {[](double) { return NextStep{}; }};
}

// The accretion run of inputs/accretion-3d.toml in conformal time: the mesh stays small until the collapse, then leaves
// grow in plateaus and steps shorten.
NextStep accretion_step(double tau) {
  const std::pair<double, double> leaves_until[] = {{-2.2, 79},    {-1.65, 391},   {-0.65, 1431},
                                                    {-0.57, 2211}, {-0.385, 2835}, {0, 3771}};
  const auto* plateau = leaves_until;
  while (tau > plateau->first) ++plateau;
  return {std::min(4.5e-3 * -tau, 1.9e-3 * tau * tau), plateau->second};
}

TEST(Forecast, IsExactForEqualSteps) {
  const Quality found = quality(steady());
  EXPECT_LE(found.factor, 1.01);
  EXPECT_LE(found.backwards, 1e-12);
  EXPECT_LE(found.fraction, 1e-3);
  EXPECT_LE(quality(steady(), 0.5).factor, 1.01);
}

TEST(Forecast, AveragesNoiseOfTheWallTime) {
  Course run = steady();
  run.noise = 0.9;
  const Quality found = quality(run);
  EXPECT_LE(found.factor, 1.25);
  EXPECT_LE(found.backwards, 1e-12) << "the fraction is one of work";
}

TEST(Forecast, FollowsStepsThatShortenAsAPower) {
  const auto power = [](double p, double offset) {
    return Course{[=](double t) { return NextStep{2e-3 * std::pow((t + offset) / (1 + offset), -p)}; }};
  };
  for (const double p : {0.5, 1.0, 2.0}) {
    const Quality found = quality(power(p, 0.1));
    EXPECT_LE(found.factor, 1.2) << p;
    EXPECT_LE(found.backwards, 0.005) << p;
    EXPECT_LE(quality(power(p, 0.1), 0.5).factor, 1.2) << p << ", after a restart";
  }
  // Steps that lengthen: sqrt(t), as for a decelerating blast.
  EXPECT_LE(quality(power(-0.5, 0.01)).factor, 1.5);
}

TEST(Forecast, FollowsStepsThatShortenTowardsASingularity) {
  const Course run{[](double t) { return NextStep{3e-3 * (1.1 - t) * (1.1 - t)}; }};
  EXPECT_LE(quality(run).factor, 2.2);
  EXPECT_LE(quality(run).backwards, 0.02);
  EXPECT_LE(quality(run, 0.5).factor, 1.5);
}

TEST(Forecast, FollowsLeavesThatGrow) {
  const Course doubling{[](double t) { return NextStep{1e-3, 100 * std::pow(2, std::floor(5 * t))}; }};
  EXPECT_LE(quality(doubling).factor, 1.8);
  EXPECT_LE(quality(doubling).backwards, 0.12) << "each doubling is news";
  EXPECT_LE(quality(doubling, 0.5).factor, 1.75);
  const Course smooth{[](double t) { return NextStep{1e-3, 100 * std::pow(2, 5 * t)}; }};
  EXPECT_LE(quality(smooth).factor, 1.5);
  EXPECT_LE(quality(smooth).backwards, 0.01);
  const Course saturating{[](double t) { return NextStep{1e-3, 1000 - 900 * std::exp(-10 * t)}; }};
  EXPECT_LE(quality(saturating).factor, 1.3);
  const Course shrinking{[](double t) { return NextStep{1e-3, 1000 * std::exp(-t)}; }};
  EXPECT_LE(quality(shrinking).factor, 1.5);
}

TEST(Forecast, RecoversFromAJumpAtARegrid) {
  const Course jump{[](double t) { return NextStep{1e-3, t > 0.1 ? 2700.0 : 100.0}; }};
  EXPECT_LE(quality(jump).factor, 1.35);
  EXPECT_LE(quality(jump).backwards, 0.06);
  const Course late{[](double t) { return NextStep{1e-3, t > 0.5 ? 200.0 : 100.0}; }};
  EXPECT_LE(quality(late).factor, 2.05) << "nothing announces it";
}

TEST(Forecast, KnowsACollapseInConformalTimeFromAThirdOn) {
  const Course collapse{accretion_step, -31.6, -0.3536};
  const Quality found = quality(collapse);
  EXPECT_LE(found.factor, 1.5);
  EXPECT_LE(found.backwards, 0.1) << "each plateau is news";
  EXPECT_LE(found.early, 0.15) << "a linear clock would have passed 97 % of the time before the collapse";
  EXPECT_LE(quality(collapse, 0.5).factor, 1.5);
}

TEST(Forecast, EndsByNumberOfSteps) {
  Course growing{[](double t) { return NextStep{1e-3, 100 * (1 + 9 * t)}; }};
  const auto steps = static_cast<std::int64_t>(growing.positions().size() - 1);
  EXPECT_LE(quality(growing, 0, steps).factor, 1.2);
  Forecaster forecaster(-2, {0, -2, 0, 0}, {2, 100});
  EXPECT_LT(forecaster.forecast().seconds, 0) << "unknown before the first step";
  forecaster.add({10, -1, 1000, 30});
  EXPECT_NEAR(forecaster.forecast().seconds, 90, 1) << "3 of 4 units of time to go";
  EXPECT_NEAR(forecaster.forecast().fraction, 0.25, 0.01);
  forecaster.add({50, -1, 5000, 150});
  EXPECT_NEAR(forecaster.forecast().seconds, 150, 1) << "50 of 100 steps to go";
  EXPECT_NEAR(forecaster.forecast().fraction, 0.5, 0.01);
}

TEST(Forecast, EndsByWallTime) {
  Forecaster forecaster(0, {}, {.t = 1, .steps = 0, .seconds = 120});
  forecaster.add({1, 0.1, 1000, 10});
  EXPECT_FALSE(forecaster.forecast().stopped_by_walltime) << "90 s to go, 110 s left";
  forecaster.add({2, 0.11, 2000, 30});
  const Forecast forecast = forecaster.forecast();
  EXPECT_TRUE(forecast.stopped_by_walltime);
  EXPECT_DOUBLE_EQ(forecast.seconds, 90);
  EXPECT_LT(forecast.fraction, 0.2) << "of the run, not of the wall time";
}

TEST(Forecast, CountsTheWorkBeforeARestart) {
  const auto positions = steady().positions();
  RunPosition start = positions[500];
  start.seconds = 0;
  Forecaster forecaster(0, start, {});
  forecaster.add({501, positions[501].t, positions[501].work, 0.1});
  EXPECT_NEAR(forecaster.forecast().fraction, 0.5, 0.01);
  EXPECT_NEAR(forecaster.forecast().seconds, 50, 1) << "only this process took time";
}

TEST(Forecast, IsUnknownOrZeroWhereTimeStandsStill) {
  Forecaster forecaster(0, {}, {});
  forecaster.add({1, 0, 1000, 1});
  EXPECT_LT(forecaster.forecast().seconds, 0);
  forecaster.add({2, 1, 2000, 2});
  EXPECT_EQ(forecaster.forecast().seconds, 0);
  EXPECT_EQ(forecaster.forecast().fraction, 1);
}

TEST(Progress, FractionNeverFalls) {
  Progress progress(0, {}, {}, 1e9);
  for (int i = 1; i <= 50; ++i) progress.step(i, 0.01 * i, 0.01, 7, 1000);
  EXPECT_LT(progress.state(Progress::Clock::now()).forecast.seconds, 0) << "no forecast in the first seconds";
  const auto later = Progress::Clock::now() + std::chrono::seconds(30);
  EXPECT_NEAR(progress.state(later).forecast.fraction, 0.5, 0.01);
  EXPECT_NEAR(progress.state(later).volumes_per_second, 50000 / 30., 100);
  for (int i = 51; i <= 90; ++i) {
    progress.step(i, 0.01 * i, 0.01, 700, 100000);  // a hundred times as much work a step
    EXPECT_GE(progress.state(later).forecast.fraction, 0.49);
  }
  EXPECT_LT(progress.state(later).forecast.fraction, 0.95);
  progress.step(91, 1, 0.01, 700, 100000);
  EXPECT_EQ(progress.state(later).forecast.fraction, 1);
}

}  // namespace
}  // namespace meander::io
