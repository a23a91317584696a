// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Start and end of MPI, and the end of all ranks after a failure of one.

#include <functional>
#include <string>

#include "parallel/communicator.hpp"

namespace meander::app {

struct Ranks {
  parallel::Communicator communicator;
  std::string thread_level;  // "MPI_THREAD_MULTIPLE"
  bool many_threads = true;  // MPI allows several threads per process
};

// Runs the body with MPI and returns the exit code of this rank: that of the body or of its exception. The
// root alone prints failures that all ranks agree on, and all ranks end normally. Any other exception, on any
// rank and thread, is printed there and aborts all ranks; if several ranks of a node fail at the same time,
// one of them prints.
int with_ranks(const std::function<int(const Ranks&)>& body);

// Runs the body without MPI, prints its exception and returns the exit code.
int without_ranks(const std::function<int()>& body);

}  // namespace meander::app
