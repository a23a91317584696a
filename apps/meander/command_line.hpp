// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The command line.

#include <iosfwd>
#include <string>
#include <vector>

namespace meander::app {

enum class Command { run, restart, check, explain, info, report, scenarios, input_reference, terms, done };

struct CommandLine {
  Command command = Command::done;  // done: help or version was requested and has been printed
  std::string checkpoint;           // restart: file or directory
  std::string input;  // run, check; restart: "" for the input in the checkpoint; terms: "" for standard input
  std::string pde;    // terms
  std::vector<std::string> settings;  // run, check, restart, terms: "table.key=value"
  int threads = 0;                    // run, restart, check: of each rank; 0: from the affinity masks
  std::string
      output;        // run, restart; "": output.directory, or the directory of the checkpoint; report: a file
  std::string name;  // explain: a key or a table; "": all tables
  bool keys_only = false;   // explain: print the names of all keys
  std::string file;         // info
  std::string directory;    // report
  bool follow = false;      // report: renew it while the run goes on
  std::string every;        // report: seconds between renewals; "": the package's default
  bool input_only = false;  // check: without estimate
  double walltime = 0;      // run, restart: seconds; 0: no limit
  std::string trace;        // run, restart: file; "": none
};

// Writes help and version to `out`. Throws InputError for an invalid command line, with the nearest command
// or option.
CommandLine parse_command_line(int argc, const char* const* argv, std::ostream& out);

}  // namespace meander::app
