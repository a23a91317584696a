// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/join.hpp"
#include "io/nearest.hpp"
#include "io/provenance.hpp"
#include "options/options.hpp"
#include "simulation/control/walltime.hpp"
#include "simulation/report/terms.hpp"

namespace meander::app {

namespace {

constexpr int most_threads = 4096;

Option settings(CommandLine& line, const char* meaning) {
  return {.name = "--set",
          .value = line.settings,
          .meaning = meaning,
          .type = "TABLE.KEY=VALUE",
          .repeats = true};
}

Option settings_of_input(CommandLine& line) {
  return settings(line, "Replace or add a key of the input: --set mesh.patch-size=17; can be repeated");
}

Option input(CommandLine& line) {
  return {.name = "INPUT",
          .value = line.input,
          .meaning = "The input file (TOML), or - for standard input; docs/input.md lists its keys",
          .required = true};
}

Option threads(CommandLine& line) {
  return {.name = "--threads",
          .value = line.threads,
          .meaning =
              "Threads of each rank; default: the processors of its affinity mask, divided between ranks "
              "with this mask",
          .allowed = between(1, most_threads),
          .type = "N"};
}

// Of run and restart.
struct Texts {
  std::optional<std::string> output, walltime;
};

std::vector<Option> run_options(CommandLine& line, Texts& texts, const char* output) {
  return {threads(line),
          {.name = "--output", .value = texts.output, .meaning = output, .type = "DIR"},
          {.name = "--walltime",
           .value = texts.walltime,
           .meaning = "Write a checkpoint and end before this time has passed: hours:minutes:seconds, "
                      "days-hours:minutes:seconds or minutes",
           .type = "TIME"},
          {.name = "--trace",
           .value = line.trace,
           .meaning =
               "Write a timeline of threads, queues and messages, for ui.perfetto.dev or scripts/plot-trace",
           .type = "FILE"}};
}

std::vector<Option> operator+(std::vector<Option> some, const std::vector<Option>& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

Subcommand run(CommandLine& line, Texts& texts) {
  return {"run", "Run a simulation",
          std::vector{settings_of_input(line), input(line)} +
              run_options(line, texts, "Output directory; must be new or empty")};
}

Subcommand restart(CommandLine& line, Texts& texts) {
  Option other_input = input(line);
  other_input.meaning = "Another input file; default: the input in the checkpoint";
  other_input.required = false;
  const Option checkpoint{
      .name = "CHECKPOINT",
      .value = line.checkpoint,
      .meaning = "The checkpoint chk_NNNNNN.hdf5, or the directory of a run for its newest checkpoint",
      .required = true};
  return {"restart", "Restart from a checkpoint, on any number of ranks and threads",
          std::vector{checkpoint, settings_of_input(line), other_input} +
              run_options(
                  line, texts,
                  "A new output directory; default: continue the files in the directory of the checkpoint")};
}

Subcommand check(CommandLine& line) {
  return {"check",
          "Check an input file, print it with every default filled in, and estimate the cost of the run",
          {settings_of_input(line),
           input(line),
           threads(line),
           {.name = "--input-only",
            .value = line.input_only,
            .meaning = "Check and print only, without an estimate"}}};
}

Subcommand explain(CommandLine& line) {
  return {"explain",
          "Explain a key of the input file, or list the keys of a table",
          {{.name = "KEY",
            .value = line.name,
            .meaning = "mesh.patch-size, patch-size, mesh, sedov; default: list the tables"},
           {.name = "--keys", .value = line.keys_only, .meaning = "Print the names of all keys"}}};
}

Subcommand info(CommandLine& line) {
  return {
      "info",
      "Print the content of a file",
      {{.name = "FILE",
        .value = line.file,
        .meaning = "A checkpoint, plot file, series of plots, history, file of a diagnostic or input file",
        .required = true}}};
}

Subcommand report(CommandLine& line, Texts& texts) {
  return {"report",
          "Write a report on a run: one HTML file with pictures, by the Python package",
          {{.name = "DIR", .value = line.directory, .meaning = "The directory of a run", .required = true},
           {.name = "--output",
            .value = texts.output,
            .meaning = "Path of the report; default: report.html in the directory",
            .type = "FILE"},
           {.name = "--follow", .value = line.follow, .meaning = "Renew it while the run goes on"},
           {.name = "--every",
            .value = line.every,
            .meaning = "With --follow: seconds between renewals; default: 30",
            .type = "SECONDS"}}};
}

Subcommand terms(CommandLine& line) {
  return {
      "terms",
      "Print the terms of the equations at given points, for comparison with other codes",
      {{.name = "--pde",
        .value = line.pde,
        .meaning = "The equations: " + join(simulation::pde_names(), ", "),
        .type = "NAME",
        .required = true},
       settings(line, "A parameter of the equations: --set solver.slicing=harmonic; can be repeated"),
       {.name = "FILE",
        .value = line.input,
        .meaning = "Rows of numbers; without it, or with -, standard input. A row holds the unknowns Q and "
                   "the derivatives d_x Q, d_y Q, d_z Q (euler: Q suffices; in 2D without d_z Q), separated "
                   "by white space; # begins a comment"}},
      "Prints a row for each row, with 17 digits. ccz4: dQ/dt, the sum of source and non-conservative "
      "products. euler: the fluxes along x, y (and z), then the largest wave speed. docs/terms.md gives the "
      "order of the unknowns."};
}

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv, std::ostream& out) {
  CommandLine line;
  Texts texts;
  const std::pair<Command, Subcommand> commands[] = {
      {Command::run, run(line, texts)},
      {Command::restart, restart(line, texts)},
      {Command::check, check(line)},
      {Command::explain, explain(line)},
      {Command::info, info(line)},
      {Command::report, report(line, texts)},
      {Command::scenarios, {"scenarios", "List the scenarios and their parameters"}},
      {Command::input_reference, {"input-reference", "Print docs/input.md: every key of the input file"}},
      {Command::terms, terms(line)}};
  Program program{
      .name = "meander",
      .meaning = "Finite volumes on patches of an adaptive Peano spacetree.",
      .footer =
          "Exit codes: 0 done, 1 failure, 2 invalid input or command line, 3 stopped by a signal or the wall "
          "time: continue with `meander restart`.",
      .version = io::provenance().line(),
      .example = "meander run INPUT",
      .commands = {},
      .suggestion = [](const std::string& word, const std::vector<std::string>& names,
                       const char* otherwise) { return io::suggestion(word, names, otherwise); }};
  for (const auto& [command, options] : commands) program.commands.push_back(options);
  const std::string chosen = parse(program, argc, argv, out);
  for (const auto& [command, options] : commands) {
    if (options.name == chosen) line.command = command;
  }
  if (texts.output) {
    if (texts.output->empty()) throw InputError("meander: --output must not be empty (see meander --help)");
    line.output = *texts.output;
  }
  if (texts.walltime) line.walltime = simulation::parse_walltime(*texts.walltime);
  return line;
}

}  // namespace meander::app
