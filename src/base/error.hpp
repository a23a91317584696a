// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The failures a run can end with, and the exit code each one gives.

#include <stdexcept>
#include <string>

namespace meander {

enum ExitCode : int { exit_done = 0, exit_failure = 1, exit_input_error = 2, exit_stopped = 3 };

// Something the user can mend in the input, before any work has started. what() is the whole message, with
// file, line and column where they are known. Exit code 2.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A run or a foreign library failed: exit code 1. what() says what, where and what is left intact.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace meander
