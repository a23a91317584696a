// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "options/options.hpp"

#include <CLI/CLI.hpp>
#include <type_traits>

#include "base/error.hpp"

namespace meander::app {
namespace {

template <class T>
struct ElementOf {
  using type = T;
  static constexpr bool is_list = false;
};
template <class T>
struct ElementOf<std::vector<T>> {
  using type = T;
  static constexpr bool is_list = true;
};

template <class T>
void restrict_to(CLI::Option& option, const Allowed& allowed) {
  switch (allowed.kind) {
    case Allowed::Kind::any:
      return;
    case Allowed::Kind::range:
      if constexpr (std::is_arithmetic_v<T>)
        option.check(CLI::Range(static_cast<T>(allowed.least), static_cast<T>(allowed.most)));
      return;
    case Allowed::Kind::positive:
      option.check(CLI::PositiveNumber);
      return;
    case Allowed::Kind::not_negative:
      option.check(CLI::NonNegativeNumber);
      return;
    case Allowed::Kind::words:
      option.check(CLI::IsMember(allowed.words));
      return;
  }
}

template <class T>
CLI::Option* add_value(CLI::App& app, const Option& option, T* value) {
  if constexpr (std::is_same_v<T, bool>) {
    return app.add_flag(option.name, *value, option.meaning);
  } else if constexpr (std::is_same_v<T, std::optional<std::string>>) {
    return app.add_option_function<std::string>(
        option.name, [value](const std::string& text) { *value = text; }, option.meaning);
  } else {
    CLI::Option* const added = app.add_option(option.name, *value, option.meaning);
    if constexpr (ElementOf<T>::is_list) {
      if (option.repeats) {
        added->expected(1)->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
      } else {
        added->delimiter(',');
      }
      if (option.count > 0) added->expected(option.count);
    }
    restrict_to<typename ElementOf<T>::type>(*added, option.allowed);
    return added;
  }
}

void add(CLI::App& app, const Option& option) {
  CLI::Option* const added =
      std::visit([&](auto* value) { return add_value(app, option, value); }, option.value.to());
  if (!option.type.empty()) added->type_name(option.type);
  added->required(option.required);
  if (!option.needs.empty()) added->needs(app.get_option(option.needs));
  if (!option.excludes.empty()) added->excludes(app.get_option(option.excludes));
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// The message about the first word that CLI11 did not recognise, with a suggestion.
std::string not_understood(const CLI::App& app, const Program& program) {
  const auto chosen = app.get_subcommands();
  const CLI::App& where = chosen.empty() ? app : *chosen.front();
  const std::vector<std::string> rest = app.remaining(true);
  const std::string word = rest.empty() ? "" : rest.front();
  if (word.substr(0, 1) == "-") {
    const std::string name = word.substr(0, word.find('='));
    return "unknown option " + name + program.suggestion(name, option_names(where), "options are");
  }
  if (chosen.empty()) {
    std::vector<std::string> names;
    for (const Subcommand& command : program.commands) names.push_back(command.name);
    return "unknown command '" + word + "'" + program.suggestion(word, names, "commands are");
  }
  return "unexpected argument '" + word + "' for: " + program.name + " " + where.get_name();
}

}  // namespace

std::optional<int> parse(int argc, const char* const* argv, const std::string& meaning,
                         const std::vector<Option>& options) {
  CLI::App app(meaning);
  app.option_defaults()->always_capture_default();
  for (const Option& option : options) add(app, option);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_done : exit_input_error;
  }
  return std::nullopt;
}

std::string parse(const Program& program, int argc, const char* const* argv, std::ostream& out) {
  CLI::App app(program.meaning, program.name);
  app.set_version_flag("--version", program.version);
  app.require_subcommand(0, 1);
  app.set_help_flag("-h,--help", "This text");
  app.footer(program.footer);
  for (const Subcommand& command : program.commands) {
    CLI::App& added = *app.add_subcommand(command.name, command.meaning);
    for (const Option& option : command.options) add(added, option);
    added.set_help_flag("-h,--help", "This text");
    if (!command.footer.empty()) added.footer(command.footer);
  }
  const std::string see = " (see " + program.name + " --help)";
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    app.exit(success, out, out);
    return "";
  } catch (const CLI::ExtrasError&) {
    throw InputError(program.name + ": " + not_understood(app, program) + see);
  } catch (const CLI::ParseError& error) {
    throw InputError(program.name + ": " + error.what() + see);
  }
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) {
    throw InputError(app.help() + "\n" + program.name +
                     ": a command is required, for example: " + program.example);
  }
  return chosen.front()->get_name();
}

}  // namespace meander::app
