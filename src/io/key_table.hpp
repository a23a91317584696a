// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The keys of one table of the input file, declared once: name, target variable, unit, allowed values,
// meaning. Reading, checks, the resolved input, docs/input.md and `meander scenarios` all follow from the
// declarations. The value of a target at its declaration is the default.

#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

// The position of a value: "file:line:column" of the input file, "--set key=value", or empty for a default.
inline constexpr std::string_view of_settings = "--set ";
struct Origin {
  std::string where;
  std::string excerpt = {};  // the line of the input file with a caret, appended to messages
};

// The value of a key that is an integer or one of some words, such as "auto".
using IntegerOrWord = std::variant<int, std::string>;

// A formula (io/formula.hpp) as given: a string or a number. Empty: not given.
struct FormulaText {
  std::string text = {};
  Origin origin = {};  // filled by the reader
};
// A table of formulas whose names the input chooses, such as [scenario.constants].
struct NamedFormula {
  std::string name;
  FormulaText formula;
};
using NamedFormulas = std::vector<NamedFormula>;

// One of some words, or a table whose key `kind` is the word, and whose other keys are formulas.
struct WordWithFormulas {
  std::string word = {};
  NamedFormulas formulas = {};
};

struct TableList;

struct Field {
  // double (integers are accepted too), int, bool, string, list of numbers, of integers, of strings, integer or
  // word; formula, table of formulas, word with formulas, list of tables.
  using Target = std::variant<double*, int*, bool*, std::string*, std::vector<double>*, std::vector<int>*,
                              std::vector<std::string>*, IntegerOrWord*, FormulaText*, NamedFormulas*,
                              WordWithFormulas*, TableList*>;
  std::string key, unit, meaning;
  Target target;
  Range range;  // of a number, or of each number of a list
  std::vector<std::string>
      choices;  // of a string, or of each string of a list; empty: any. Beside an integer: the words
  std::string default_text;  // as TOML, taken when declared; may be replaced by words ("the base level")
  std::string declared;      // the value as TOML when declared
  std::string example;       // a value as TOML, if neither default nor type suggest one; may be empty
  bool required = false;
  std::optional<bool> fixed;  // a restart must not change it; unset: the default of its table, usually no
  Origin origin;              // filled by the reader
  std::string comment = {};   // after the value in toml_table(), one line; empty: none
  // Words that are choices no longer, each with the message that names what replaces it.
  std::vector<std::pair<std::string, std::string>> former_choices = {};
};

class KeyTable {
 public:
  explicit KeyTable(std::string table) : table_(std::move(table)) {}

  using Text = std::string_view;
  using Words = std::vector<std::string>;
  Field& number(Text key, double& target, Text unit, Text meaning, Range range = any_number) {
    return add(key, unit, meaning, &target, range, {});
  }
  Field& integer(Text key, int& target, Text unit, Text meaning, Range range = any_number) {
    return add(key, unit, meaning, &target, range, {});
  }
  // An integer within the range, or one of the words.
  Field& integer_or_word(Text key, IntegerOrWord& target, Words words, Text unit, Text meaning,
                         Range range = any_number) {
    return add(key, unit, meaning, &target, range, std::move(words));
  }
  Field& flag(Text key, bool& target, Text meaning) { return add(key, "", meaning, &target, {}, {}); }
  Field& choice(Text key, std::string& target, Words choices, Text meaning) {
    return add(key, "", meaning, &target, {}, std::move(choices));
  }
  Field& formula(Text key, FormulaText& target, Text unit, Text meaning) {
    return add(key, unit, meaning, &target, {}, {});
  }
  Field& formulas(Text key, NamedFormulas& target, Text meaning) {
    return add(key, "", meaning, &target, {}, {});
  }
  Field& word_with_formulas(Text key, WordWithFormulas& target, Words words, Text meaning) {
    return add(key, "", meaning, &target, {}, std::move(words));
  }
  // An array of tables within this table.
  Field& tables(Text key, TableList& target, Text meaning) { return add(key, "", meaning, &target, {}, {}); }
  Field& text(Text key, std::string& target, Text meaning) { return add(key, "", meaning, &target, {}, {}); }
  Field& numbers(Text key, std::vector<double>& target, Text unit, Text meaning, Range range = any_number) {
    return add(key, unit, meaning, &target, range, {});
  }
  Field& integers(Text key, std::vector<int>& target, Text unit, Text meaning, Range range = any_number) {
    return add(key, unit, meaning, &target, range, {});
  }
  Field& texts(Text key, Words& target, Text meaning, Words choices = {}) {
    return add(key, "", meaning, &target, {}, std::move(choices));
  }

  const std::string& table() const { return table_; }  // "scenario", "mesh", "refinement[2]"
  const std::deque<Field>& all() const { return keys_; }
  std::deque<Field>& all() { return keys_; }
  const Field* find(std::string_view key) const;  // null if there is none
  void set_comment(std::string_view key, std::string comment);
  bool was_given(std::string_view key) const;
  bool was_set(std::string_view key) const;  // given by --set, not by the file

  // Position of the table, or of the file if it has no such table: for messages about keys not given.
  void set_origin(Origin origin) { origin_ = std::move(origin); }
  const Origin& origin() const { return origin_; }

  // One line with the position of the key's value, or with table.key alone for a default:
  // "input.toml:12:9: scenario.radius: must be positive, but is -1".
  std::string message(std::string_view key, std::string_view what) const;
  // Throws InputError with that message and the line of the input.
  [[noreturn]] void reject(std::string_view key, std::string_view why) const;

 private:
  const Origin& origin_of(std::string_view key) const;

  Field& add(Text key, Text unit, Text meaning, Field::Target target, Range range, Words choices);

  std::string table_;
  std::deque<Field> keys_;
  Origin origin_;
};

// An array of tables within a table, such as [[scenario.region]].
struct TableList {
  // Declares the keys of the next table. Their targets must outlive this list.
  std::function<void(KeyTable&)> describe_next = {};
  std::deque<KeyTable> tables = {};  // as given
};

// The type of a field's value in words: "number", "list of integers", ...
std::string type_name(const Field& field);
// The restriction beyond the type: "between 3 and 32", "rusanov, muscl", "at least 1, auto"; empty: none.
std::string allowed_values(const Field& field);
// "must be between 3 and 32"; empty for any_number.
std::string range_text(const Range& range);

// The present value of a target as TOML; doubles in the shortest form that reads back to the same bits.
std::string toml_text(const Field::Target& target);
std::string toml_text(double value);
std::string toml_text(const std::string& value);

// The table as TOML with every key, its present value and its comment; reads back to the same values. A choice
// with value "" is unset and omitted. `header`: "[mesh]", "[[refinement]]".
std::string toml_table(const KeyTable& keys, const std::string& header);

}  // namespace meander::io
