// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/control/stopping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "base/assert.hpp"
#include "base/error.hpp"
#include "simulation/simulation.hpp"

namespace meander::simulation {

bool is_done(const Simulation& simulation) {
  const TimeConfig& time = simulation.config().time;
  return simulation.time() >= time.end || (time.max_steps > 0 && simulation.step() >= time.max_steps);
}

void TimeProgress::check(const TimeStep& step) {
  const double remaining = step.limit - step.t;
  const bool stands_still = step.t_next == step.t;
  lost_ = !step.is_counted && remaining - step.stable_dt == remaining ? lost_ + 1 : 0;
  const bool is_endless = lost_ >= most_lost;
  if (!stands_still && !is_endless) return;
  const std::string against =
      stands_still ? fmt::format("t + dt = t (dt = {})", step.dt)
                   : fmt::format("steps of {} are lost in rounding against the time of {} until t = {}",
                                 step.stable_dt, remaining, step.limit);
  throw StalledTime(
      fmt::format("step {}: time cannot advance from t = {}: {}; check time.start, time.end, time.max-dt and "
                  "solver.cfl",
                  step.number, step.t, against));
}

namespace {

constexpr double seconds_between_agreements = 1e-3;
constexpr int most_steps_between_agreements = 100;
constexpr double seconds_per_minute = 60;
// A checkpoint may take longer than the last one on a busy file system.
constexpr double safety = 2;

}  // namespace

Agreed StepAgreement::agree(double now, bool checkpoint, int stop_signal) {
  double values[] = {now, longest_step_, checkpoint ? 1.0 : 0.0, static_cast<double>(stop_signal)};
  communicator_.max(std::span<double>(values));
  Agreed agreed{.checkpoint = values[2] != 0,
                .stop_signal = static_cast<int>(values[3]),
                .now = values[0],
                .longest_step = values[1],
                .steps = steps_};
  const double steps = seconds_between_agreements / std::max(agreed.longest_step, 1e-9);
  interval_ = static_cast<int>(std::clamp(steps, 1.0, static_cast<double>(most_steps_between_agreements)));
  steps_ = 0;
  longest_step_ = 0;
  return agreed;
}

Due CheckpointSchedule::after_step(std::int64_t step, const std::optional<Agreed>& agreed) {
  if (agreed) {
    longest_step_ = std::max(longest_step_, agreed->longest_step * agreed->steps);
    const bool out_of_time = is_out_of_time(agreed->now);
    if (agreed->stop_signal != 0 || (out_of_time && is_measured_)) return Due::stop;
    // A guess that is too long would stop every part of a run after its first step.
    if (agreed->checkpoint || out_of_time) return Due::checkpoint;
    const double interval = seconds_per_minute * config_.every_minutes;
    if (interval > 0 && agreed->now - last_ >= interval) return Due::checkpoint;
  }
  return config_.every_steps > 0 && step % config_.every_steps == 0 ? Due::checkpoint : Due::nothing;
}

Due CheckpointSchedule::written(double now, double seconds) {
  last_ = now;
  cost_ = seconds;
  is_measured_ = true;
  return is_out_of_time(now) ? Due::stop : Due::nothing;
}

bool CheckpointSchedule::is_out_of_time(double now) const {
  return walltime_ > 0 && now + safety * cost_ + longest_step_ >= walltime_;
}

namespace {

constexpr int handled[] = {SIGUSR1, SIGUSR2, SIGTERM, SIGINT, SIGHUP, SIGPIPE};

volatile std::sig_atomic_t checkpoint_requests = 0, stop_request = 0;
struct sigaction before[std::size(handled)];
bool installed = false;

extern "C" void on_request(int signal) {
  if (signal == SIGUSR1) {
    checkpoint_requests = 1;
  } else if (stop_request == 0) {
    stop_request = signal;
  } else if (signal != SIGHUP) {
    // The signal is blocked until this handler returns; then it ends the process.
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

StopRequests::StopRequests(Afterwards afterwards) : afterwards_(afterwards) {
  MEANDER_ASSERT(!installed);
  installed = true;
  checkpoint_requests = 0;
  stop_request = 0;
  struct sigaction action {};
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < std::size(handled); ++i) {
    sigaction(handled[i], nullptr, &before[i]);
    if (handled[i] == SIGHUP && before[i].sa_handler == SIG_IGN) continue;
    action.sa_handler = handled[i] == SIGPIPE ? SIG_IGN : on_request;
    sigaction(handled[i], &action, nullptr);
  }
}

StopRequests::~StopRequests() {
  installed = false;
  if (afterwards_ == Afterwards::too_late) return;
  for (std::size_t i = 0; i < std::size(handled); ++i) sigaction(handled[i], &before[i], nullptr);
}

bool StopRequests::take_checkpoint_request() {
  if (checkpoint_requests == 0) return false;
  checkpoint_requests = 0;
  return true;
}

int StopRequests::stop_signal() const {
  return stop_request;
}

const char* signal_name(int signal) {
  switch (signal) {
    case SIGUSR1:
      return "SIGUSR1";
    case SIGUSR2:
      return "SIGUSR2";
    case SIGTERM:
      return "SIGTERM";
    case SIGINT:
      return "SIGINT";
    case SIGHUP:
      return "SIGHUP";
    default:
      return "a signal";
  }
}

}  // namespace meander::simulation
