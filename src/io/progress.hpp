// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How much of a run is done and how long the rest takes, predicted from the steps so far.
//
// Work W is counted in volume updates. The run ends at a point x of a clock: the simulated time, or the number of steps.
// The work per unit of the clock, r = dW/dx, changes as leaves are refined and steps become shorter. It is modelled as
// a power of the work done, r ~ W^m: m = 0 is a constant rate, m = 1 exponential growth, m = p / (p + 1) a rate that
// grows as x^p. The exponent is a least-squares fit of ln r over ln W. The work that remains until x_end is then
//   W ((1 + (1 - m) s)^(1 / (1 - m)) - 1),  s = (x_end - x) r / W.
// m is at most 1: a larger exponent would reach infinite work at a finite time.

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace meander::io {

struct RunPosition {
  std::int64_t step = 0;
  double t = 0;
  double work = 0;     // volume updates since the beginning of the run, those before a restart included
  double seconds = 0;  // wall time since the start of this process
};

struct RunEnds {
  double t = 1;
  std::int64_t steps = 0;                                    // 0: no limit
  double seconds = std::numeric_limits<double>::infinity();  // wall time since the start of this process
};

struct Forecast {
  double fraction = 0;               // of the run's work that is done, 0 .. 1
  double seconds = -1;               // until the process ends; negative: unknown
  bool stopped_by_walltime = false;  // the wall time ends before the run
};

class Forecaster {
 public:
  // The run began at t_begin with step 0; this process starts at `start`, later than t_begin after a restart.
  Forecaster(double t_begin, const RunPosition& start, const RunEnds& ends);

  // Call after every step; cheap.
  void add(const RunPosition& position);

  // The forecast after the last step. Unknown until work has been done.
  Forecast forecast() const;

 private:
  struct Mark {
    double clock[2];  // simulated time, number of steps
    double work, seconds;
  };
  Mark mark_of(const RunPosition& position) const;
  // The first mark of the most recent eighth of the work of this process.
  const Mark& recent() const;
  double exponent(int clock, double rate) const;
  // Work that remains until clock x_end; infinite if the clock stands still.
  double remaining(int clock, double x_end) const;

  bool logarithmic_;  // the clock of the simulated time
  RunEnds ends_;
  double begin_[2];
  std::vector<Mark> marks_;  // equidistant in work, except for the latest
  Mark now_{};
};

// The progress of a run: a line every few seconds, and a live line on a terminal.

struct ProgressState {
  std::int64_t step = 0;
  double t = 0, dt = 0;
  std::int64_t leaves = 0;
  double volumes_per_second = 0;
  Forecast forecast{};
};

// "step 120  t 0.125  dt 1.1e-03  12345 leaves  34.5 M volumes/s  42 %  about 1:23 to go". Without per cent and duration
// while they are unknown.
std::string progress_line(const ProgressState& state);

// "1:23" (minutes), "2:03:04" (hours), "3 d 04 h".
std::string duration_text(double seconds);

class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  // The arguments of Forecaster. seconds_between_lines: of the log; a live line on a terminal comes more often.
  Progress(double t_begin, const RunPosition& start, const RunEnds& ends, double seconds_between_lines = 5);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Call after every step; cheap. `volumes`: number of volumes updated in the step.
  void step(std::int64_t step, double t, double dt, std::int64_t leaves, std::int64_t volumes);

  // The state after the last step at time `now`. The fraction never falls from call to call: a forecast that grows makes
  // it stand still. The first two seconds have no forecast.
  ProgressState state(Clock::time_point now);

 private:
  struct Mark {
    Clock::time_point when;
    double work = 0;
  };
  Forecaster forecaster_;
  Clock::duration interval_;
  Clock::time_point start_, last_live_;
  double start_seconds_;
  Mark current_, last_line_, line_before_;
  ProgressState state_;
  double shown_ = 0;  // fraction
};

}  // namespace meander::io
