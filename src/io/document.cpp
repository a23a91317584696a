// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "base/join.hpp"
#include "base/printable.hpp"
#include "io/checkpoint_file.hpp"
#include "io/files.hpp"
#include "io/nearest.hpp"

namespace meander::io {

namespace {

constexpr std::size_t most_input_bytes = std::size_t{1} << 22;

[[noreturn]] void fail(const Origin& origin, const std::string& what) {
  throw InputError(printable(fmt::format("{}: {}", origin.where, what), Lines::join) + origin.excerpt);
}

const Entry* find_entry(const Value& table, std::string_view key) {
  for (const Entry& entry : table.entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

bool is_array_of_tables(const Value& value) {
  return value.kind == Value::Kind::list && !value.items.empty() &&
         std::all_of(value.items.begin(), value.items.end(),
                     [](const Value& item) { return item.kind == Value::Kind::table; });
}

// "refinement[2]" as ("refinement", 2); index -1 without brackets.
std::pair<std::string_view, int> split_index(std::string_view name) {
  const auto open = name.find('[');
  if (open == std::string_view::npos || name.back() != ']') return {name, -1};
  int index = -1;
  const char* end = name.data() + name.size() - 1;
  const auto [rest, error] = std::from_chars(name.data() + open + 1, end, index);
  if (error != std::errc{} || rest != end || index < 0) return {name, -1};
  return {name.substr(0, open), index};
}

// The beginning of a long setting.
std::string shortened(const std::string& setting) {
  constexpr std::size_t most = 200;
  return setting.size() <= most ? setting : setting.substr(0, most) + "...";
}

// "; did you mean 'refinement'?", an array of tables of the file; empty if none is near.
std::string nearest_array(const Value& root, std::string_view name) {
  std::vector<std::string> arrays;
  for (const Entry& entry : root.entries) {
    if (is_array_of_tables(entry.value)) arrays.push_back(entry.key);
  }
  const std::string near = nearest(name, arrays);
  return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
}

// The value of a setting: TOML if it parses as such, else a bare word.
Value setting_value(const std::string& text, const Origin& origin) {
  Value value;
  try {
    Value parsed = parse_toml("value = " + text, origin.where);
    value = std::move(parsed.entries.at(0).value);
  } catch (const InputError&) {
    if (text.empty() || std::string_view("[{\"'").find(text.front()) != std::string_view::npos) {
      fail(origin, fmt::format("'{}' is no TOML value", shortened(text)));
    }
    // The resolved input could not be read.
    if (printable(text) != text) fail(origin, "has control characters, or bytes that are no UTF-8");
    value.kind = Value::Kind::text;
    value.text = text;
  }
  if (value.kind != Value::Kind::text && value.kind != Value::Kind::list) value.bare = text;
  if (value.kind == Value::Kind::date) {
    value.kind = Value::Kind::text;
    value.text = text;
  }
  const auto place = [&](auto& self, Value& v) -> void {
    v.origin = origin;
    for (Value& item : v.items) self(self, item);
    for (Entry& entry : v.entries) self(self, entry.value);
  };
  place(place, value);
  return value;
}

constexpr std::ptrdiff_t most_dots = 3;  // of the key of a setting

// The table `part` of a table, or "part[2]" of an array of tables; a table that is missing is added. `path`: the key of
// the setting.
Value& step_into(Value& table, std::string_view part, const std::string& path, const Origin& origin) {
  const auto [name, index] = split_index(part);
  auto entry = std::ranges::find(table.entries, name, &Entry::key);
  if (entry == table.entries.end() && index < 0) {
    Value empty;
    empty.origin = origin;
    table.entries.push_back({std::string(name), origin, std::move(empty)});
    entry = table.entries.end() - 1;
  }
  const std::size_t tables =
      entry != table.entries.end() && is_array_of_tables(entry->value) ? entry->value.items.size() : 0;
  if (index >= static_cast<int>(tables)) {
    fail(origin, fmt::format("there is no {}[{}]: the file has {} [[{}]], counted from 0{}", name, index,
                             tables, name, entry == table.entries.end() ? nearest_array(table, name) : ""));
  }
  if (index < 0 && tables > 0) {
    const std::string key = path.substr(path.rfind('.') + 1);
    fail(origin, fmt::format("which {}? The file has {}: write {}[0].{}=...", name, tables, name, key));
  }
  if (index >= 0) return entry->value.items[static_cast<std::size_t>(index)];
  if (entry->value.kind == Value::Kind::text) {  // it becomes the kind of a table
    Value table_of_kind;
    table_of_kind.origin = entry->value.origin;
    table_of_kind.entries.push_back({"kind", entry->origin, std::move(entry->value)});
    entry->value = std::move(table_of_kind);
  }
  if (entry->value.kind != Value::Kind::table) fail(origin, fmt::format("{} is no table", name));
  return entry->value;
}

}  // namespace

std::string Document::read_text(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw InputError(fmt::format("{}: is a directory, not an input file", file));
  return file == standard_input ? read_standard_input(most_input_bytes)
                                : read_text_file(file, most_input_bytes);
}

std::string Document::name_of(const std::string& file) {
  return file == standard_input ? "stdin" : file;
}

Document Document::load(const std::string& file, const std::vector<std::string>& settings) {
  return from_text(read_text(file), name_of(file), settings);
}

Document Document::from_text(const std::string& text, const std::string& name,
                             const std::vector<std::string>& settings) {
  if (CheckpointHead::starts(text)) {
    throw InputError(
        fmt::format("{}: is a checkpoint, not an input file; meander restart reads it, or "
                    "the directory that contains it",
                    name));
  }
  if (text.starts_with("\x89HDF")) {
    throw InputError(
        fmt::format("{}: is an HDF5 file, not an input file; meander info shows its content", name));
  }
  Document document;
  document.file_ = name;
  document.root_ = parse_toml(text, name);
  document.end_ = fmt::format("{}:{}:1", name, 1 + std::count(text.begin(), text.end(), '\n'));
  for (const std::string& setting : settings) document.apply(setting);
  return document;
}

void Document::apply(const std::string& setting) {
  const Origin origin{std::string(of_settings) + shortened(setting)};
  if (setting.find_first_of("\n\r") != std::string::npos) fail(origin, "a setting is a single line");
  const auto equals = setting.find('=');
  const std::string path = setting.substr(0, equals);
  const auto last_dot = path.rfind('.');
  if (equals == std::string::npos || last_dot == std::string::npos || path.front() == '.' ||
      path.back() == '.' || path.find("..") != std::string::npos ||
      std::ranges::count(path, '.') > most_dots) {
    fail(origin, "a setting is written table.key=value, as in mesh.patch-size=9");
  }
  Value* target = &root_;
  for (std::size_t begin = 0; begin < last_dot;) {
    const std::size_t end = path.find('.', begin);
    target = &step_into(*target, std::string_view(path).substr(begin, end - begin), path, origin);
    begin = end + 1;
  }
  const std::string key = path.substr(last_dot + 1);
  Value value = setting_value(setting.substr(equals + 1), origin);
  for (Entry& old : target->entries) {
    if (old.key != key) continue;
    old = {key, origin, std::move(value)};
    return;
  }
  target->entries.push_back({key, origin, std::move(value)});
}

void Document::check_tables(const std::vector<std::string>& tables,
                            const std::vector<std::string>& arrays) const {
  std::vector<std::string> all = tables;
  all.insert(all.end(), arrays.begin(), arrays.end());
  for (const Entry& entry : root_.entries) {
    const bool is_table = entry.value.kind == Value::Kind::table;
    const bool is_array = is_array_of_tables(entry.value);
    if (std::find(tables.begin(), tables.end(), entry.key) != tables.end()) {
      if (!is_table)
        fail(entry.origin, fmt::format("{}: must be a table, written [{}]", entry.key, entry.key));
    } else if (std::find(arrays.begin(), arrays.end(), entry.key) != arrays.end()) {
      const bool none = entry.value.kind == Value::Kind::list && entry.value.items.empty();
      if (!is_array && !none) {
        fail(entry.origin,
             fmt::format("{}: must be a list of tables, each written [[{}]]", entry.key, entry.key));
      }
    } else if (is_table || is_array) {
      fail(entry.origin,
           fmt::format("{}: unknown table{}", entry.key, suggestion(entry.key, all, "tables are")));
    } else {
      fail(entry.origin,
           fmt::format("{}: a key outside of any table; tables are: {}", entry.key, join(all, ", ")));
    }
  }
}

bool Document::has_table(std::string_view table) const {
  return find(table) != nullptr;
}

std::size_t Document::count(std::string_view array) const {
  const Entry* entry = find_entry(root_, array);
  return entry != nullptr && entry->value.kind == Value::Kind::list ? entry->value.items.size() : 0;
}

const Value* Document::find(std::string_view table) const {
  const auto [name, index] = split_index(table);
  const Entry* entry = find_entry(root_, name);
  if (entry == nullptr) return nullptr;
  if (index < 0) return &entry->value;
  return index < static_cast<int>(entry->value.items.size())
             ? &entry->value.items[static_cast<std::size_t>(index)]
             : nullptr;
}

void Document::bind(KeyTable& keys, const Hints& hints) const {
  read(keys, hints, true);
}
void Document::peek(KeyTable& keys) const {
  read(keys, {}, false);
}

namespace {

// The end of the string that begins at `begin` with a quote; the end of the text or of the line without one.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const bool has_escapes = quote == '"';
  const bool is_long = text.substr(begin, 3) == std::string_view(quote == '"' ? "\"\"\"" : "'''");
  std::size_t at = begin + (is_long ? 3 : 1);
  for (; at < text.size(); ++at) {
    if (has_escapes && text[at] == '\\') {
      ++at;
    } else if (!is_long && text[at] == '\n') {
      return at;
    } else if (text[at] == quote && (!is_long || text.substr(at, 3) == text.substr(begin, 3))) {
      at += is_long ? 3 : 1;
      // A long string may end with up to two quotes of its own.
      for (int own = 0; is_long && own < 2 && at < text.size() && text[at] == quote; ++own) ++at;
      return at;
    }
  }
  return text.size();
}

TextPosition position_of(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  TextPosition position;
  position.line += static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  position.column += static_cast<int>(
      std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_begin), before.end(),
                    [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
  return position;
}

}  // namespace

std::optional<TextPosition> find_long_key(std::string_view text, int most) {
  constexpr std::string_view separators = "\n\r=[]{},";
  int dots = 0;  // since the last separator
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == '"' || c == '\'') {
      at = end_of_string(text, at);
    } else {
      if (c == '.' && ++dots >= most) return position_of(text, at);
      if (separators.find(c) != std::string_view::npos) dots = 0;
      ++at;
    }
  }
  return std::nullopt;
}

}  // namespace meander::io
