// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What signals ask of a run. The handlers only set flags; the run looks at them between two steps.
//
//   SIGUSR1                   write a checkpoint and go on
//   SIGTERM, SIGINT, SIGUSR2  write a checkpoint and stop; a second one ends the process at once
//
// mpirun passes SIGUSR1 and SIGUSR2 on to its ranks; to SIGTERM and SIGINT of its own it adds SIGKILL a
// second later.

namespace meander::simulation {

// While one lives, the signals are handled as above; afterwards as before, or, where the process only ends
// after it, a first one is too late and changes nothing, so that a run that is done ends as such. One at a
// time.
class StopRequests {
 public:
  enum class Afterwards { as_before, too_late };
  explicit StopRequests(Afterwards afterwards = Afterwards::as_before);
  ~StopRequests();
  StopRequests(const StopRequests&) = delete;
  StopRequests& operator=(const StopRequests&) = delete;

  // Whether a checkpoint was asked for since the last call. Of this process only.
  bool take_checkpoint_request();
  // The signal that asked to stop, or 0.
  int stop_signal() const;

 private:
  Afterwards afterwards_;
};

// "SIGTERM"
const char* signal_name(int signal);

}  // namespace meander::simulation
