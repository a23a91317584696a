// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `meander run` and `meander restart`: a configuration from its first to its last file, on all ranks.

#include <chrono>
#include <string>

#include "parallel/communicator.hpp"
#include "simulation/config/config.hpp"
#include "simulation/control/restart_input.hpp"
#include "simulation/control/stop_requests.hpp"

namespace meander::simulation {

struct RunOptions {
  int threads = 0;      // a rank; 0: what plan_threads() makes of the affinity masks
  std::string output;   // directory; empty: what the configuration says, or where the checkpoint lies
  double walltime = 0;  // seconds since `started` at which the program must have ended; 0: no limit
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
  std::string thread_level = {};  // what MPI offers, for the log
  std::string trace = {};         // file for a timeline; empty: none
  bool many_threads = true;       // false: MPI wants one thread only, and more are refused
  // As it should be where nothing but the process's end comes after the run: too_late.
  StopRequests::Afterwards signals_afterwards = StopRequests::Afterwards::as_before;
};

// Runs to the end, or until a signal (stop_requests.hpp) or the wall time stops it. Returns exit_done;
// exit_stopped with a checkpoint to go on from; or exit_failure after a state failure, whose state has been
// written then. Throws AgreedInputError (one rank: InputError) before any work has started, AgreedFailure
// (Failure) if a file cannot be written or memory runs out. Collective.
int run(const Config& config, const RunOptions& options, const parallel::Communicator& communicator = {});

// Goes on from a checkpoint; the rest as run(). Without options.output the files in the checkpoint's
// directory are continued: what lies behind the checkpoint's step is dropped. Collective.
int restart(const RestartInput& restart, const RunOptions& options,
            const parallel::Communicator& communicator = {});

}  // namespace meander::simulation
