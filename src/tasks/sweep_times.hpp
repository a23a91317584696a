// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Wall-clock time of the phases of a step.

#include <chrono>

namespace meander::tasks {

// Seconds spent in the phases of all steps so far, of the slowest thread.
struct SweepTimes {
  double update = 0, flux_correction = 0, halo = 0;
  double waiting = 0;   // for messages, reductions and devices
  double messages = 0;  // of these, for other ranks

  SweepTimes& operator+=(const SweepTimes& other) {
    update += other.update;
    flux_correction += other.flux_correction;
    halo += other.halo;
    waiting += other.waiting;
    messages += other.messages;
    return *this;
  }
};

// Adds its lifetime in seconds to `total`, which outlives it.
class ScopedTimer {
 public:
  explicit ScopedTimer(double& total) : total_(total) {}
  ~ScopedTimer() { total_ += std::chrono::duration<double>(Clock::now() - begin_).count(); }
  ScopedTimer(const ScopedTimer&) = delete;
  ScopedTimer& operator=(const ScopedTimer&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& total_;
  const Clock::time_point begin_ = Clock::now();
};

}  // namespace meander::tasks
