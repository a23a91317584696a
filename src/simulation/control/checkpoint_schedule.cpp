// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/control/checkpoint_schedule.hpp"

#include <algorithm>
#include <cmath>

namespace meander::simulation {

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
    const bool out_of_time = walltime_ > 0 && agreed->now + safety * cost_ + longest_step_ >= walltime_;
    if (agreed->stop_signal != 0 || out_of_time) return Due::stop;
    if (agreed->checkpoint) return Due::checkpoint;
    const double interval = seconds_per_minute * config_.every_minutes;
    if (interval > 0 && agreed->now - last_ >= interval) return Due::checkpoint;
  }
  return config_.every_steps > 0 && step % config_.every_steps == 0 ? Due::checkpoint : Due::nothing;
}

void CheckpointSchedule::written(double now, double seconds) {
  last_ = now;
  cost_ = seconds;
}

}  // namespace meander::simulation
