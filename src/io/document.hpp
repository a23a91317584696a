// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An input file with the settings of the command line applied, and its strict reading into key tables.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/key_table.hpp"

namespace meander::io {

struct Entry;

// A TOML value with its position in the file.
struct Value {
  enum class Kind : std::uint8_t { flag, integer, number, text, list, table, date };
  Kind kind = Kind::table;
  bool flag = false;
  std::int64_t integer = 0;
  double number = 0;           // of an integer too
  std::string text;            // of a string
  std::string bare;            // --set: the text as given, if it was not quoted
  std::vector<Value> items;    // of a list
  std::vector<Entry> entries;  // of a table, in the file's order
  Origin origin;
};

struct Entry {
  std::string key;
  Origin origin;  // of the key
  Value value;
};

// Parses TOML. `name`: of the file, in messages. Throws InputError with file, line and column.
Value parse_toml(const std::string& text, const std::string& name);

class Document {
 public:
  static constexpr const char* standard_input = "-";

  // Reads `file` and applies "table.key=value" settings in order ("refinement[0].level=5" for the first table
  // of an array). A value is TOML; a bare word is a string. Throws InputError if the file is missing or
  // unreadable, and for syntax errors of file or settings.
  static Document load(const std::string& file, const std::vector<std::string>& settings = {});
  // The text of `file`, or of standard input if that is "-". Throws InputError if it is missing, cannot be read, is
  // no regular file, or is larger than 4 MiB.
  static std::string read_text(const std::string& file);
  // The name of a file in messages and defaults: "stdin" for "-".
  static std::string name_of(const std::string& file);
  // Parses `text`. `name`: of the file, in messages.
  static Document from_text(const std::string& text, const std::string& name,
                            const std::vector<std::string>& settings = {});

  const std::string& file() const { return file_; }

  // Throws InputError if the top level holds anything but these tables and arrays of tables.
  void check_tables(const std::vector<std::string>& tables, const std::vector<std::string>& arrays) const;

  bool has_table(std::string_view table) const;
  // Number of tables [[array]].
  std::size_t count(std::string_view array) const;

  // Keys of other tables or choices, with the message that replaces "unknown key".
  using Hints = std::vector<std::pair<std::string, std::string>>;

  // Reads the table keys.table() into the targets of `keys` and sets their origins. Throws InputError at the
  // first key that is unknown, has a wrong type, is out of range, is no choice, or is required and missing.
  void bind(KeyTable& keys, const Hints& hints = {}) const;
  // As bind(), but ignores unknown keys: for a key that determines which other keys exist.
  void peek(KeyTable& keys) const;

 private:
  const Value* find(std::string_view table) const;
  void read(KeyTable& keys, const Hints& hints, bool strict) const;
  void apply(const std::string& setting);

  std::string file_, end_;  // end_: the position of tables that are missing
  Value root_;
};

// Finds dotted keys of too many parts before a text is parsed. The TOML parser limits the depth of lists and inline
// tables, but makes a nested table of every part of a key, which its destructor and ours visit by recursion.
struct TextPosition {
  int line = 1, column = 1;  // columns count characters
};

// The first part, in the order of the text, that makes a key longer than `most` parts. Strings and comments are
// skipped. Text that is no TOML may give any position.
std::optional<TextPosition> find_long_key(std::string_view text, int most);

}  // namespace meander::io
