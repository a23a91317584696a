// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/error.hpp"
#include "io/nearest.hpp"
#include "io/provenance.hpp"
#include "simulation/control/walltime.hpp"
#include "simulation/report/terms.hpp"

namespace meander::app {

namespace {

constexpr int most_threads = 4096;

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

// The message about the first word that CLI11 did not recognise, with a suggestion.
std::string not_understood(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  const CLI::App& where = chosen.empty() ? app : *chosen.front();
  std::vector<std::string> rest = app.remaining(true);
  const std::string word = rest.empty() ? "" : rest.front();
  if (word.substr(0, 1) == "-") {
    return fmt::format("unknown option {}{}", word.substr(0, word.find('=')),
                       io::suggestion(word.substr(0, word.find('=')), option_names(where), "options are"));
  }
  if (chosen.empty()) {
    return fmt::format("unknown command '{}'{}", word,
                       io::suggestion(word, command_names(app), "commands are"));
  }
  return fmt::format("unexpected argument '{}' for: meander {}", word, where.get_name());
}

void add_settings(CLI::App& command, CommandLine& line, const char* meaning) {
  command.add_option("--set", line.settings, meaning)
      ->type_name("TABLE.KEY=VALUE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

CLI::Option* add_input(CLI::App& command, CommandLine& line) {
  add_settings(command, line, "Replace or add a key of the input: --set mesh.patch-size=17; can be repeated");
  return command.add_option("INPUT", line.input,
                            "The input file (TOML), or - for standard input; docs/input.md lists its keys");
}

CLI::App* add_terms(CLI::App& app, CommandLine& line) {
  CLI::App* terms = app.add_subcommand(
      "terms", "Print the terms of the equations at given points, for comparison with other codes");
  terms
      ->add_option("--pde", line.pde,
                   fmt::format("The equations: {}", fmt::join(simulation::pde_names(), ", ")))
      ->type_name("NAME")
      ->required();
  add_settings(*terms, line, "A parameter of the equations: --set solver.slicing=harmonic; can be repeated");
  terms->add_option("FILE", line.input,
                    "Rows of numbers; without it, or with -, standard input. A row holds the unknowns Q and "
                    "the derivatives d_x Q, d_y Q, d_z Q (euler: Q suffices; in 2D without d_z Q), separated "
                    "by white space; # begins a comment");
  terms->footer(
      "Prints a row for each row, with 17 digits. ccz4: dQ/dt, the sum of source and non-conservative "
      "products. euler: the fluxes along x, y (and z), then the largest wave speed. docs/terms.md gives the "
      "order of the unknowns.");
  return terms;
}

void add_threads(CLI::App& command, CommandLine& line) {
  command
      .add_option("--threads", line.threads,
                  "Threads of each rank; default: the processors of its affinity mask, divided between ranks "
                  "with this mask")
      ->type_name("N")
      ->check(CLI::Range(1, most_threads));
}

void add_run_options(CLI::App& command, CommandLine& line, std::string& walltime, const char* output) {
  add_threads(command, line);
  command.add_option("--output", line.output, output)->type_name("DIR");
  command
      .add_option("--walltime", walltime,
                  "Write a checkpoint and end before this time has passed: hours:minutes:seconds, "
                  "days-hours:minutes:seconds or minutes")
      ->type_name("TIME");
  command
      .add_option(
          "--trace", line.trace,
          "Write a timeline of threads, queues and messages, for ui.perfetto.dev or scripts/plot-trace")
      ->type_name("FILE");
}

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv, std::ostream& out) {
  CommandLine line;
  std::string walltime;
  CLI::App app("Finite volumes on patches of an adaptive Peano spacetree.", "meander");
  app.set_version_flag("--version", io::provenance().line());
  app.require_subcommand(0, 1);
  app.set_help_flag("-h,--help", "This text");
  app.footer(
      "Exit codes: 0 done, 1 failure, 2 invalid input or command line, 3 stopped by a signal or the wall "
      "time: continue with `meander restart`.");

  CLI::App* run = app.add_subcommand("run", "Run a simulation");
  add_input(*run, line)->required();
  add_run_options(*run, line, walltime, "Output directory; must not exist or be empty");
  CLI::App* restart =
      app.add_subcommand("restart", "Restart from a checkpoint, on any number of ranks and threads");
  restart
      ->add_option("CHECKPOINT", line.checkpoint,
                   "The checkpoint chk_NNNNNN.hdf5, or the directory of a run for its newest checkpoint")
      ->required();
  add_input(*restart, line)->description("Another input file; default: the input in the checkpoint");
  add_run_options(*restart, line, walltime,
                  "A new output directory; default: continue the files in the directory of the checkpoint");
  CLI::App* check = app.add_subcommand(
      "check",
      "Check an input file, print it with every default filled in, and estimate the cost of the run");
  add_input(*check, line)->required();
  add_threads(*check, line);
  check->add_flag("--input-only", line.input_only, "Check and print only, without an estimate");
  CLI::App* explain =
      app.add_subcommand("explain", "Explain a key of the input file, or list the keys of a table");
  explain->add_option("KEY", line.name,
                      "mesh.patch-size, patch-size, mesh, vortex; default: list the tables");
  explain->add_flag("--keys", line.keys_only, "Print the names of all keys");
  CLI::App* info = app.add_subcommand("info", "Print the content of a file");
  info->add_option("FILE", line.file,
                   "A checkpoint, plot file, series of plots, history, file of a diagnostic or input file")
      ->required();
  CLI::App* scenarios = app.add_subcommand("scenarios", "List the scenarios and their parameters");
  CLI::App* reference =
      app.add_subcommand("input-reference", "Print docs/input.md: every key of the input file");
  CLI::App* terms = add_terms(app, line);
  for (CLI::App* command : {run, restart, check, explain, info, scenarios, reference, terms})
    command->set_help_flag("-h,--help", "This text");

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    app.exit(success, out, out);
    return line;
  } catch (const CLI::ExtrasError&) {
    throw InputError(fmt::format("meander: {} (see meander --help)", not_understood(app)));
  } catch (const CLI::ParseError& error) {
    throw InputError(fmt::format("meander: {} (see meander --help)", error.what()));
  }
  if (run->parsed()) line.command = Command::run;
  if (restart->parsed()) line.command = Command::restart;
  if (check->parsed()) line.command = Command::check;
  if (explain->parsed()) line.command = Command::explain;
  if (info->parsed()) line.command = Command::info;
  if (scenarios->parsed()) line.command = Command::scenarios;
  if (reference->parsed()) line.command = Command::input_reference;
  if (terms->parsed()) line.command = Command::terms;
  if (app.get_subcommands().empty()) {
    throw InputError(app.help() + "\nmeander: a command is required, for example: meander run INPUT");
  }
  for (const CLI::App* command : {run, restart}) {
    if (command->count("--output") > 0 && line.output.empty())
      throw InputError("meander: --output must not be empty (see meander --help)");
    if (command->count("--walltime") > 0) line.walltime = simulation::parse_walltime(walltime);
  }
  return line;
}

}  // namespace meander::app
