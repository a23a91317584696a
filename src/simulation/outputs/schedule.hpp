// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// When an output is due: every n steps, at multiples of an interval of simulated time, and at given times.
//
// Times that differ by rounding, such as 0.3 and 3 * 0.1, are one: a step between them would have no length to speak of, and rates
// of change in it would be nothing but rounding.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace meander::simulation {

// What such times differ by at most, where t is one of them, or of those that they follow from.
inline double rounding_of_time(double t) {
  return 1e-12 * std::abs(t);
}

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
    const bool by_time = now >= next_ - rounding(now);
    if (by_time) move_on(now);
    return by_time || (steps_ > 0 && step % steps_ == 0);
  }

 private:
  double rounding(double now) const {
    return rounding_of_time(std::max({std::abs(now), std::abs(start_), every_}));
  }
  void move_on(double now) {
    const double past = now + rounding(now);
    next_ = std::numeric_limits<double>::infinity();
    if (every_ > 0) {
      // Multiples of the interval, not sums, so that no error grows. The quotient may be off by rounding.
      double count = std::max(0.0, std::floor((past - start_) / every_) - 1);
      while (start_ + count * every_ <= past) ++count;
      next_ = start_ + count * every_;
    }
    while (!times_.empty() && times_.front() <= past) times_.erase(times_.begin());
    if (!times_.empty()) next_ = std::min(next_, times_.front());
  }

  double start_, every_;
  int steps_;
  std::vector<double> times_;  // still to come, ascending
  double next_ = 0;
};

}  // namespace meander::simulation
