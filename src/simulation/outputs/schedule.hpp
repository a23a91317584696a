// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// When an output is due: every n steps, at multiples of an interval of simulated time, and at given times.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace meander::simulation {

class OutputSchedule {
 public:
  // start: of the run's simulated time, from which multiples of `every` count; every, steps: 0: none. `now`: the present
  // time; what was due at it or before is past.
  OutputSchedule(double start, double every, int steps, std::vector<double> times, double now)
      : start_(start), every_(every), steps_(steps), times_(std::move(times)) {
    std::ranges::sort(times_);
    move_on(now);
  }

  // The time that the next step must not pass; infinity: none.
  double next() const { return next_; }

  // Whether output is due after the step that ended with number `step` at `now`. Call once after every step.
  bool due(int step, double now) {
    const bool by_time = now >= next_;
    if (by_time) move_on(now);
    return by_time || (steps_ > 0 && step % steps_ == 0);
  }

 private:
  void move_on(double now) {
    next_ = std::numeric_limits<double>::infinity();
    if (every_ > 0) {
      // Multiples of the interval, not sums, so that no error grows. The quotient may be off by rounding.
      double count = std::max(0.0, std::floor((now - start_) / every_) - 1);
      while (start_ + count * every_ <= now) ++count;
      next_ = start_ + count * every_;
    }
    while (!times_.empty() && times_.front() <= now) times_.erase(times_.begin());
    if (!times_.empty()) next_ = std::min(next_, times_.front());
  }

  double start_, every_;
  int steps_;
  std::vector<double> times_;  // still to come, ascending
  double next_ = 0;
};

}  // namespace meander::simulation
