// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// When a run stops, or writes a checkpoint: at its end, by its schedule, by signals and by the wall time, or because its
// time cannot advance. The schedule is arithmetic on values that all ranks share, so that all ranks reach the same decision.

#include <cstdint>
#include <optional>
#include <string>

#include "parallel/communicator.hpp"
#include "simulation/config/config.hpp"

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

// Detects a time that cannot advance to the end of the run.
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
  // seconds since the program's start. expected_cost: estimated seconds of the first checkpoint. Where no other time
  // than the estimated one is lacking, a checkpoint is due, which measures it.
  CheckpointSchedule(const CheckpointConfig& config, double walltime, double now, double expected_cost)
      : config_(config), walltime_(walltime), last_(now), cost_(expected_cost) {}

  // Call after each step. `agreed`: the result of StepAgreement::after_step().
  Due after_step(std::int64_t step, const std::optional<Agreed>& agreed);

  // Call after a checkpoint: the slowest rank took `seconds`, and all ranks were done at `now`. Returns Due::stop if the
  // time does not suffice for another step and checkpoint.
  Due written(double now, double seconds);

 private:
  bool is_out_of_time(double now) const;

  CheckpointConfig config_;
  double walltime_, last_, cost_;
  bool is_measured_ = false;  // cost_ is that of a checkpoint, and not expected_cost
  double longest_step_ = 0;
};

// Signals to a run. The handlers only set flags, which the run reads between steps.
//
//   SIGUSR1                   write a checkpoint and continue
//   SIGTERM, SIGINT, SIGUSR2, SIGHUP
//                             write a checkpoint and stop; a second one ends the process at once,
//                             except SIGHUP, which shell and kernel both send when a terminal goes
//   SIGPIPE                   ignored: the reader of the log has gone, and the run continues without a log
//
// SIGHUP stays ignored where it was, as by nohup.
//
// mpirun forwards SIGUSR1 and SIGUSR2 to its ranks. After SIGTERM and SIGINT it sends SIGKILL one second
// later.
//
// Installs the handlers for its lifetime. The destructor restores the previous handlers, or (too_late) keeps
// flags without effect: in a process that only ends afterwards, a first signal then does not change the exit
// code of a finished run. One object at a time.
class StopRequests {
 public:
  enum class Afterwards { as_before, too_late };
  explicit StopRequests(Afterwards afterwards = Afterwards::as_before);
  ~StopRequests();
  StopRequests(const StopRequests&) = delete;
  StopRequests& operator=(const StopRequests&) = delete;

  // Whether this process was asked for a checkpoint since the last call.
  bool take_checkpoint_request();
  // The signal that asked to stop, or 0.
  int stop_signal() const;

 private:
  Afterwards afterwards_;
};

// "SIGTERM"
const char* signal_name(int signal);

}  // namespace meander::simulation
