// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Detects a time that cannot advance to the end of the run.

#include "parallel/communicator.hpp"

namespace meander::simulation {

class Simulation;

// Whether the run is at its end by time or number of steps.
bool is_done(const Simulation& simulation);

// The time cannot advance. The state of the last step is intact. The message gives step, time and reason, on
// all ranks alike.
struct StalledTime : parallel::AgreedFailure {
  using parallel::AgreedFailure::AgreedFailure;
};

struct TimeStep {
  int number = 0;           // the first step has 1
  double t = 0, dt = 0;     // from t to t + dt
  double t_next = 0;        // the time that t + dt is rounded to
  double stable_dt = 0;     // the longest step that scheme and input allow
  double limit = 0;         // the time of the next output, or the end of the run
  bool is_counted = false;  // the input limits the number of steps
};

class TimeProgress {
 public:
  // Call before every step. Throws StalledTime if the step is lost in rounding against t. Without a limit of the
  // number of steps also if `most_lost` steps in turn had a stable_dt that is lost against the time that remains
  // until `limit`: more than 2^53 such steps would follow.
  void check(const TimeStep& step);

  static constexpr int most_lost = 1000;

 private:
  int lost_ = 0;
};

}  // namespace meander::simulation
