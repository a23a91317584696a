// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The one place that sees toml++ (its header takes seconds to compile).
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

#include "io/document.hpp"

namespace meander::io {

namespace {

class Converter {
 public:
  Converter(const std::string& text, std::string name) : name_(std::move(name)) {
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines_.push_back(line);
  }

  Origin origin(const toml::source_position& position) const {
    Origin result;
    const auto line = static_cast<std::size_t>(position.line);
    const auto column = static_cast<std::size_t>(position.column);
    result.where = fmt::format("{}:{}:{}", name_, line, column);
    if (line < 1 || line > lines_.size()) return result;
    std::string shown = lines_[line - 1];
    while (!shown.empty() && (shown.back() == '\r' || shown.back() == ' ')) shown.pop_back();
    if (shown.empty()) return result;
    // Columns count characters; what stands in a multi-byte one after its first byte takes no width.
    std::string indent;
    std::size_t seen = 1;
    for (std::size_t i = 0; i < shown.size() && seen < column; ++i) {
      if ((static_cast<unsigned char>(shown[i]) & 0xc0u) == 0x80u) continue;
      indent += shown[i] == '\t' ? '\t' : ' ';
      ++seen;
    }
    const std::string number = fmt::format("{}", line);
    result.excerpt =
        fmt::format("\n  {} | {}\n  {} | {}^", number, shown, std::string(number.size(), ' '), indent);
    return result;
  }

  Value convert(const toml::node& node) const {
    Value value;
    value.origin = origin(node.source().begin);
    if (const auto* table = node.as_table()) {
      value.kind = Value::Kind::table;
      convert_entries(*table, value);
    } else if (const auto* array = node.as_array()) {
      value.kind = Value::Kind::list;
      for (const toml::node& item : *array) value.items.push_back(convert(item));
    } else if (const auto* flag = node.as_boolean()) {
      value.kind = Value::Kind::flag;
      value.flag = flag->get();
    } else if (const auto* integer = node.as_integer()) {
      value.kind = Value::Kind::integer;
      value.integer = integer->get();
      value.number = static_cast<double>(value.integer);
    } else if (const auto* number = node.as_floating_point()) {
      value.kind = Value::Kind::number;
      value.number = number->get();
    } else if (const auto* text = node.as_string()) {
      value.kind = Value::Kind::text;
      value.text = text->get();
    } else {
      value.kind = Value::Kind::date;
    }
    return value;
  }

 private:
  void convert_entries(const toml::table& table, Value& value) const {
    std::vector<std::pair<toml::source_position, Entry>> entries;
    for (auto&& [key, node] : table) {
      entries.emplace_back(key.source().begin,
                           Entry{std::string(key.str()), origin(key.source().begin), convert(node)});
    }
    // toml++ keeps keys sorted by name; the file's order makes the first mistake the one reported.
    std::stable_sort(entries.begin(), entries.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [position, entry] : entries) value.entries.push_back(std::move(entry));
  }

  std::string name_;
  std::vector<std::string> lines_;
};

}  // namespace

Value parse_toml(const std::string& text, const std::string& name) {
  const Converter converter(text, name);
  try {
    const toml::table table = toml::parse(std::string_view(text), std::string_view(name));
    return converter.convert(table);
  } catch (const toml::parse_error& error) {
    const Origin origin = converter.origin(error.source().begin);
    throw InputError(fmt::format("{}: {}{}", origin.where, error.description(), origin.excerpt));
  }
}

}  // namespace meander::io
