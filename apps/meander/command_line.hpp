// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the user typed.

#include <iosfwd>
#include <string>
#include <vector>

namespace meander::app {

enum class Command { run, restart, check, explain, info, scenarios, input_reference, terms, done };

struct CommandLine {
  Command command = Command::done;  // done: help or version was asked for, and printed
  std::string checkpoint;           // restart: file or directory
  std::string input;  // run, check, restart; "": what the checkpoint holds; terms; "": standard input
  std::string pde;    // terms
  std::vector<std::string> settings;  // run, check, restart, terms: "table.key=value"
  int threads = 0;                    // run, restart, check: a rank; 0: what the affinity masks leave
  std::string output;                 // run, restart; "": what the input says, where the checkpoint lies
  std::string name;                   // explain: of a key or a table; "": all tables
  bool keys_only = false;             // explain: all names of keys
  std::string file;                   // info
  bool input_only = false;            // check: build no mesh, measure nothing
  double walltime = 0;                // run, restart: seconds; 0: no limit
  std::string trace;                  // run, restart: file; "": none
};

// Help and version go to `out`. Throws InputError for a command line that means nothing, with the nearest
// command or option.
CommandLine parse_command_line(int argc, const char* const* argv, std::ostream& out);

}  // namespace meander::app
