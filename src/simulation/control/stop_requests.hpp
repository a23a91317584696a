// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
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

namespace meander::simulation {

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
