// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A run that is measured in turn with others.

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <vector>

#include "simulation/config/config.hpp"
#include "simulation/simulation.hpp"

namespace meander::bench {

inline double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Wall times of steps, and the part of them in which ranks wait for others; maxima over ranks. All functions are collective, except those that
// are const.
class TimedRun {
 public:
  TimedRun(const simulation::Config& config, int threads, const parallel::Communicator& communicator)
      : run_(simulation::make_simulation(config, threads, communicator)) {
    for (int step = 0; step < 3; ++step) run_->advance(1e9);
  }
  // Returns the seconds of each step on this rank.
  std::vector<double> advance(int steps) {
    const auto& communicator = run_->communicator();
    communicator.barrier();
    const double waited = run_->times().sweeps.waiting;
    std::vector<double> of_steps;
    for (int step = 0; step < steps; ++step) {
      const auto begin = std::chrono::steady_clock::now();
      run_->advance(1e9);
      of_steps.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    const double slowest = communicator.max(std::reduce(of_steps.begin(), of_steps.end()));
    seconds_.push_back(slowest / steps);
    waiting_ += communicator.max(run_->times().sweeps.waiting - waited);
    all_ += slowest;
    return of_steps;
  }
  // How many steps take this long; at least one, and the same on all ranks.
  int steps_in(double duration) {
    advance(1);
    const double one = seconds_.back();
    seconds_.clear();
    waiting_ = all_ = 0;
    return std::max(1, static_cast<int>(duration / one));
  }
  double median() const { return median_of(seconds_); }  // seconds of a step
  double percent_waiting() const { return 100 * waiting_ / all_; }
  simulation::Simulation& run() const { return *run_; }

 private:
  std::unique_ptr<simulation::Simulation> run_;
  std::vector<double> seconds_;  // of a step
  double waiting_ = 0, all_ = 0;
};

}  // namespace meander::bench
