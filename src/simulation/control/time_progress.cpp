// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/control/time_progress.hpp"

#include <fmt/format.h>

#include <string>

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

}  // namespace meander::simulation
