// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Command lines as tables of options. Only options.cpp includes CLI11, whose headers take seconds to compile.

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace meander::app {

// Where an option puts its value. bool: a flag. A list is separated by commas or blanks. std::optional tells whether the
// option was given.
class Value {
 public:
  template <class T>
  requires(!std::is_same_v<std::remove_const_t<T>, Value>) Value(T& value) : to_(&value) {}
  const auto& to() const { return to_; }

 private:
  std::variant<bool*, int*, long*, std::size_t*, double*, std::string*, std::optional<std::string>*,
               std::vector<int>*, std::vector<double>*, std::vector<std::string>*>
      to_;
};

// The values that an option accepts, of a list each one.
struct Allowed {
  enum class Kind { any, range, positive, not_negative, words } kind = Kind::any;
  double least = 0, most = 0;
  std::vector<std::string> words = {};
};
inline const Allowed positive{Allowed::Kind::positive}, not_negative{Allowed::Kind::not_negative};
inline Allowed between(double least, double most) {
  return {Allowed::Kind::range, least, most};
}
inline Allowed one_of(std::vector<std::string> words) {
  return {Allowed::Kind::words, 0, 0, std::move(words)};
}

struct Option {
  std::string name;  // "--threads"; without dashes: an argument, such as "INPUT"
  Value value;       // keeps its default if the option is not given
  std::string meaning;
  Allowed allowed = {};
  std::string type = {};  // of the value in the help, such as "DIR"
  bool required = false;
  bool repeats = false;                   // each adds one value, commas included, to a list
  int count = 0;                          // length of a list; 0: any
  std::string needs = {}, excludes = {};  // an option earlier in the table
};

// Parses the command line of a program without commands. The help shows the defaults. Returns the exit code if the
// program is to end: help was printed to standard output, or an error to standard error.
std::optional<int> parse(int argc, const char* const* argv, const std::string& meaning,
                         const std::vector<Option>& options);

struct Subcommand {
  std::string name, meaning;
  std::vector<Option> options = {};
  std::string footer = {};  // of its help, in place of the program's
};

// A program with commands.
struct Program {
  std::string name, meaning, footer, version;
  std::string example;  // of a command line
  std::vector<Subcommand> commands;
  // What follows the message about an unknown word: the nearest name, or `otherwise` and all names.
  std::string (*suggestion)(const std::string& word, const std::vector<std::string>& names,
                            const char* otherwise);
};

// The name of the command, or "" if help or version was asked for, and printed to `out`. Throws InputError.
std::string parse(const Program& program, int argc, const char* const* argv, std::ostream& out);

}  // namespace meander::app
