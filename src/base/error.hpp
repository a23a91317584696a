// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Failures of a run and their exit codes.

#include <stdexcept>
#include <string>

namespace meander {

enum ExitCode : int { exit_done = 0, exit_failure = 1, exit_input_error = 2, exit_stopped = 3 };

// Invalid input or command line, found before any work has started. what() is the whole message, with file,
// line and column where they are known. Exit code 2.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A run or an external library failed: exit code 1. what() states what failed, where, and which results are
// intact.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace meander
