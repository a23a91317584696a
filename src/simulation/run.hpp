// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `meander run` and `meander restart`: a run with its files, on all ranks.

#include <chrono>
#include <string>
#include <vector>

#include "parallel/communicator.hpp"
#include "simulation/config/config.hpp"
#include "simulation/control/stopping.hpp"

namespace meander::simulation {

struct RunOptions {
  int threads = 0;      // of each rank; 0: from the affinity masks by plan_threads()
  std::string output;   // directory; empty: output.directory, or the directory of the checkpoint
  double walltime = 0;  // seconds since `started` at which the program must have ended; 0: no limit
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
  std::string thread_level = {};  // of MPI, for the log
  std::string trace = {};         // file for a timeline; empty: none
  bool many_threads = true;       // false: MPI allows one thread per rank, and more are refused
  // too_late if the process ends after the run.
  StopRequests::Afterwards signals_afterwards = StopRequests::Afterwards::as_before;
};

// Runs to the end, or until a signal (StopRequests) or the wall time stops it. Returns exit_done,
// exit_stopped after writing a checkpoint, or exit_failure after writing a failing state. Throws
// AgreedInputError (one rank: InputError) before any work has started, and AgreedFailure (Failure) if a file
// cannot be written or memory runs out. Collective.
int run(const Config& config, const RunOptions& options, const parallel::Communicator& communicator = {});

struct RestartInput {
  std::string checkpoint;                  // file, or directory of a run for its newest checkpoint
  std::string input = {};                  // file; empty: the input in the checkpoint
  std::vector<std::string> settings = {};  // applied to the input
};

// Restarts from a checkpoint; the rest as run(). Without options.output the run continues the files in the
// checkpoint's directory: rows of later steps than the checkpoint's are dropped, checkpoints of later steps set aside.
// If it throws AgreedInputError (one rank: InputError), no file has been changed. Collective.
int restart(const RestartInput& restart, const RunOptions& options,
            const parallel::Communicator& communicator = {});

}  // namespace meander::simulation
