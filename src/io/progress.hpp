// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How far a run is: one line every few seconds, and a live one where somebody watches a terminal.

#include <chrono>
#include <cstdint>
#include <string>

namespace meander::io {

struct ProgressState {
  std::int64_t step = 0;
  double t = 0, dt = 0;
  std::int64_t leaves = 0;
  double volumes_per_second = 0;
  double fraction = 0;  // of the run that is done, 0 .. 1
  double eta = -1;      // seconds to go; negative: not known yet
};

// "step 120  t 0.125  dt 1.1e-03  12345 leaves  34.5 M volumes/s  42 %  1:23 to go"
std::string progress_line(const ProgressState& state);

// "1:23" (minutes), "2:03:04" (hours), "3 d 04 h".
std::string duration_text(double seconds);

class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  // The run goes from t_start to t_end, or for max_steps (0: no limit), whichever comes first.
  Progress(double t_start, double t_end, std::int64_t max_steps, double seconds_between_lines = 5);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // After every step; cheap. `volumes`: updated in it.
  void step(std::int64_t step, double t, double dt, std::int64_t leaves, std::int64_t volumes);

  // The state to show `now`: the rate over the time since the last line, the ETA from the whole run so far.
  ProgressState state(Clock::time_point now) const;

 private:
  double t_start_, t_end_;
  std::int64_t max_steps_;
  Clock::duration interval_;
  Clock::time_point start_, last_line_, last_live_;
  std::int64_t step_ = 0, leaves_ = 0, volumes_since_line_ = 0;
  double t_ = 0, dt_ = 0;
};

}  // namespace meander::io
