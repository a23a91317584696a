// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The progress of a run: a line every few seconds, and a live line on a terminal.

#include <chrono>
#include <cstdint>
#include <string>

#include "io/forecast.hpp"

namespace meander::io {

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
