// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// When checkpoints are due and when a run has to stop. Pure arithmetic on what all ranks agree on, so that
// all come to the same answer.

#include <cstdint>
#include <optional>

#include "parallel/communicator.hpp"
#include "simulation/config/config.hpp"

namespace meander::simulation {

// What the ranks know together after a step: of each the greatest.
struct Agreed {
  bool checkpoint = false;  // somebody was asked for one
  int stop_signal = 0;      // somebody was asked to stop by this signal; 0: nobody
  double now = 0;           // seconds of wall time since the program's start
  double longest_step = 0;  // seconds, since the last agreement
  int steps = 1;            // since the last agreement
};

// Makes ranks agree after every step, or after every so many that a millisecond passes in between: signals
// need no quicker answer, and short steps no further wait for one another.
class StepAgreement {
 public:
  explicit StepAgreement(const parallel::Communicator& communicator) : communicator_(communicator) {}

  // `now` and the rest are this rank's. Nothing: not this time, the requests wait. The same on all ranks
  // whether something comes back. `checkpoint` is called when it does. Collective.
  template <class TakeRequest>
  std::optional<Agreed> after_step(double now, double step_seconds, TakeRequest&& checkpoint,
                                   int stop_signal) {
    longest_step_ = step_seconds > longest_step_ ? step_seconds : longest_step_;
    if (++steps_ < interval_) return std::nullopt;
    return agree(now, checkpoint(), stop_signal);
  }

 private:
  Agreed agree(double now, bool checkpoint, int stop_signal);

  parallel::Communicator communicator_;
  double longest_step_ = 0;
  int steps_ = 0, interval_ = 1;
};

enum class Due : std::uint8_t { nothing, checkpoint, stop };

class CheckpointSchedule {
 public:
  // walltime: seconds since the program's start at which it must be over; 0: no limit. now: seconds since
  // then. expected_cost: seconds that a checkpoint takes, before any has been written.
  CheckpointSchedule(const CheckpointConfig& config, double walltime, double now, double expected_cost)
      : config_(config), walltime_(walltime), last_(now), cost_(expected_cost) {}

  // After each step. `agreed`: if the ranks have agreed on something after it.
  Due after_step(std::int64_t step, const std::optional<Agreed>& agreed);

  // A checkpoint has been written: it took `seconds` of the slowest rank, and all is ready at `now`.
  void written(double now, double seconds);

  // Whether the last Due::stop was the wall time's.
  bool out_of_time() const { return out_of_time_; }

 private:
  CheckpointConfig config_;
  double walltime_, last_, cost_;
  double longest_step_ = 0;
  bool out_of_time_ = false;
};

}  // namespace meander::simulation
