// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/error.hpp"
#include "io/nearest.hpp"
#include "io/provenance.hpp"

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

// The first word that CLI11 could not place, and what may have been meant by it.
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
  return fmt::format("'{}' is one word too many for: meander {}", word, where.get_name());
}

void add_input(CLI::App& command, CommandLine& line) {
  command.add_option("INPUT", line.input, "The input file (TOML); its keys are in docs/input.md")->required();
  command
      .add_option("--set", line.settings,
                  "Replace or add a key of the input: --set mesh.patch-size=17; as often as you like")
      ->type_name("TABLE.KEY=VALUE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv) {
  CommandLine line;
  CLI::App app(
      "Finite volumes on patches in a Peano spacetree that refines itself where the flow asks for it.",
      "meander");
  app.set_version_flag("--version", io::provenance().line());
  app.require_subcommand(0, 1);
  app.set_help_flag("-h,--help", "This text");
  app.footer("Exit codes: 0 done, 1 failure, 2 an input or a command line that must be mended.");

  CLI::App* run = app.add_subcommand("run", "Run a simulation");
  add_input(*run, line);
  run->add_option("--threads", line.threads,
                  "Threads; without it, one for each processor this process may use")
      ->type_name("N")
      ->check(CLI::Range(1, most_threads));
  run->add_option("--output", line.output, "Directory for all results; must not exist or be empty")
      ->type_name("DIR");
  CLI::App* check =
      app.add_subcommand("check", "Check an input file and print it with every default filled in");
  add_input(*check, line);
  CLI::App* scenarios = app.add_subcommand("scenarios", "List the scenarios and their parameters");
  CLI::App* reference =
      app.add_subcommand("input-reference", "Print docs/input.md: every key of the input file");
  for (CLI::App* command : {run, check, scenarios, reference})
    command->set_help_flag("-h,--help", "This text");

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    app.exit(success);
    return line;
  } catch (const CLI::ExtrasError&) {
    throw InputError(fmt::format("meander: {} (see meander --help)", not_understood(app)));
  } catch (const CLI::ParseError& error) {
    throw InputError(fmt::format("meander: {} (see meander --help)", error.what()));
  }
  if (run->parsed()) line.command = Command::run;
  if (check->parsed()) line.command = Command::check;
  if (scenarios->parsed()) line.command = Command::scenarios;
  if (reference->parsed()) line.command = Command::input_reference;
  if (app.get_subcommands().empty()) {
    throw InputError(app.help() + "\nmeander: which command? The first would be: meander run INPUT");
  }
  return line;
}

}  // namespace meander::app
