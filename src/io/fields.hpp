// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The keys of one table of the input file, declared once: name, target variable, unit, allowed values,
// meaning. From a declaration come the reading, the strict check, the resolved input, the reference in
// docs/input.md and `meander scenarios`. The value a target holds when it is declared is the default.

#include <deque>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"

namespace meander::io {

struct Range {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool min_open = false;  // min itself is not allowed
  bool max_open = false;
};
inline constexpr Range any_number{};
inline Range at_least(double min) {
  return {.min = min};
}
inline Range greater_than(double min) {
  return {.min = min, .min_open = true};
}
inline Range between(double min, double max) {
  return {.min = min, .max = max};
}

// Where a value stands: "file:line:column" of the input file, "--set key=value", or empty for a default.
struct Origin {
  std::string where;
};

struct Field {
  // double: a number (integers are accepted); int; bool; string; list of numbers; list of strings.
  using Target =
      std::variant<double*, int*, bool*, std::string*, std::vector<double>*, std::vector<std::string>*>;
  std::string key, unit, meaning;
  Target target;
  Range range;                       // of a number, or of each number of a list
  std::vector<std::string> choices;  // of a string, or of each string of a list; empty: any
  std::string default_text;          // as TOML, taken when declared
  bool required = false;
  Origin origin;  // filled by the reader
};

class Fields {
 public:
  explicit Fields(std::string table) : table_(std::move(table)) {}

  Field& number(std::string_view key, double& target, std::string_view unit, std::string_view meaning,
                Range range = any_number);
  Field& integer(std::string_view key, int& target, std::string_view unit, std::string_view meaning,
                 Range range = any_number);
  Field& flag(std::string_view key, bool& target, std::string_view meaning);
  Field& choice(std::string_view key, std::string& target, std::vector<std::string> choices,
                std::string_view meaning);
  Field& text(std::string_view key, std::string& target, std::string_view meaning);
  Field& numbers(std::string_view key, std::vector<double>& target, std::string_view unit,
                 std::string_view meaning, Range range = any_number);
  Field& texts(std::string_view key, std::vector<std::string>& target, std::string_view meaning,
               std::vector<std::string> choices = {});

  const std::string& table() const { return table_; }  // "scenario", "mesh", "refinement[2]"
  const std::deque<Field>& all() const { return fields_; }
  std::deque<Field>& all() { return fields_; }
  bool was_given(std::string_view key) const;

  // Throws InputError that points at the key's value (or names table.key where it is a default):
  // "input.toml:12:9: scenario.density: must be positive, but is -1".
  [[noreturn]] void reject(std::string_view key, std::string_view why) const;

 private:
  std::string table_;
  std::deque<Field> fields_;
};

}  // namespace meander::io
