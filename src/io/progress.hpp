// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The progress of a run: a line every few seconds, and a live line on a terminal.

#include <chrono>
#include <cstdint>
#include <string>

namespace meander::io {

struct ProgressState {
  std::int64_t step = 0;
  double t = 0, dt = 0;
  std::int64_t leaves = 0;
  double volumes_per_second = 0;
  double fraction = 0;  // of the run's wall time that has passed, 0 .. 1, estimated with eta
  double eta = -1;      // remaining seconds; negative: not known yet
};

// "step 120  t 0.125  dt 1.1e-03  12345 leaves  34.5 M volumes/s  42 %  1:23 to go"
std::string progress_line(const ProgressState& state);

// "1:23" (minutes), "2:03:04" (hours), "3 d 04 h".
std::string duration_text(double seconds);

class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  // The run ends at t_end or after max_steps (0: no limit), whichever comes first.
  Progress(double t_start, double t_end, std::int64_t max_steps, double seconds_between_lines = 5);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Call after every step; cheap. `volumes`: number of volumes updated in the step.
  void step(std::int64_t step, double t, double dt, std::int64_t leaves, std::int64_t volumes);

  // The state at time `now`. Rates and ETA are those of the last one or two intervals, since steps may have
  // become much shorter since the start.
  ProgressState state(Clock::time_point now) const;

 private:
  struct Mark {
    Clock::time_point when;
    std::int64_t step = 0, volumes = 0;
    double t = 0;
  };
  double t_end_;
  std::int64_t max_steps_;
  Clock::duration interval_;
  Mark current_, last_line_, line_before_;
  Clock::time_point start_, last_live_;
  std::int64_t leaves_ = 0;
  double dt_ = 0;
};

}  // namespace meander::io
