// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The schedule of checkpoints and of the stop of a run: arithmetic on values that all ranks share, so that
// all ranks reach the same decision.

#include <cstdint>
#include <optional>

#include "parallel/communicator.hpp"
#include "simulation/config/config.hpp"

namespace meander::simulation {

// The maxima over all ranks after a step.
struct Agreed {
  bool checkpoint = false;  // a rank was asked for a checkpoint
  int stop_signal = 0;      // the signal that asked a rank to stop; 0: none
  double now = 0;           // seconds of wall time since the program's start
  double longest_step = 0;  // seconds, since the last agreement
  int steps = 1;            // since the last agreement
};

// Lets the ranks agree after every step, or less often if steps are shorter than a millisecond: signals need
// no quicker answer, and the ranks do not wait for each other after every short step.
class StepAgreement {
 public:
  explicit StepAgreement(const parallel::Communicator& communicator) : communicator_(communicator) {}

  // The arguments are this rank's. Returns nothing between agreements, on all ranks alike; requests then
  // wait. checkpoint() is called only for an agreement. Collective.
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
  // walltime: seconds since the program's start at which the program must have ended; 0: no limit. now:
  // seconds since the program's start. expected_cost: estimated seconds of the first checkpoint.
  CheckpointSchedule(const CheckpointConfig& config, double walltime, double now, double expected_cost)
      : config_(config), walltime_(walltime), last_(now), cost_(expected_cost) {}

  // Call after each step. `agreed`: the result of StepAgreement::after_step().
  Due after_step(std::int64_t step, const std::optional<Agreed>& agreed);

  // Call after a checkpoint: the slowest rank took `seconds`, and all ranks were done at `now`.
  void written(double now, double seconds);

 private:
  CheckpointConfig config_;
  double walltime_, last_, cost_;
  double longest_step_ = 0;
};

}  // namespace meander::simulation
