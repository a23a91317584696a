// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the user typed.

#include <string>
#include <vector>

namespace meander::app {

enum class Command { run, check, scenarios, input_reference, done };

struct CommandLine {
  Command command = Command::done;    // done: help or version was asked for, and printed
  std::string input;                  // run, check
  std::vector<std::string> settings;  // run, check: "table.key=value"
  int threads = 0;                    // run; 0: one for each processor of the affinity mask
  std::string output;                 // run; "": what the input says
};

// Throws InputError for a command line that means nothing, with the nearest command or option.
CommandLine parse_command_line(int argc, const char* const* argv);

}  // namespace meander::app
