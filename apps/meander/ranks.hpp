// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// MPI from its start to its end, and how one rank's failure ends all.

#include <functional>
#include <string>

#include "parallel/communicator.hpp"

namespace meander::app {

struct Ranks {
  parallel::Communicator communicator;
  std::string thread_level;  // "MPI_THREAD_MULTIPLE"
  bool many_threads = true;  // MPI lets a process have more than one
};

// Runs the body under MPI and returns the exit code of this rank: the body's, or that of what it threw.
// Failures that all ranks agree on are printed by the root alone, and all ranks leave in peace. Any other
// exception, on whatever rank and thread, is printed there and ends all ranks at once; of the ranks of a node
// that fail at the same time, one prints.
int with_ranks(const std::function<int(const Ranks&)>& body);

// Runs the body without MPI; prints what it threw.
int without_ranks(const std::function<int()>& body);

}  // namespace meander::app
