// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `meander run`: a configuration from its first to its last file.

#include <string>

#include "simulation/config.hpp"

namespace meander::simulation {

struct RunOptions {
  int threads = 0;     // 0: the number of processors in the affinity mask
  std::string output;  // directory; empty: what the configuration says
};

// Runs to the end. Returns exit_done, or exit_failure after a state failure, whose state has been written
// then. Throws InputError before any work has started, Failure if a file cannot be written or memory runs
// out.
int run(const Config& config, const RunOptions& options);

}  // namespace meander::simulation
