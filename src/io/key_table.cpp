// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/key_table.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/join.hpp"
#include "base/printable.hpp"

namespace meander::io {

namespace {

constexpr const char* type_names[] = {"number",          "integer",          "true or false",
                                      "string",          "list of numbers",  "list of integers",
                                      "list of strings", "integer or string"};
static_assert(std::variant_size_v<Field::Target> == std::size(type_names));

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      result += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

struct ToToml {
  std::string operator()(double value) const {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    std::string text = fmt::format("{}", value);  // the shortest digits that read back to the same double
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
  }
  std::string operator()(int value) const { return fmt::format("{}", value); }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(const std::string& value) const { return quoted(value); }
  std::string operator()(const IntegerOrWord& value) const { return std::visit(*this, value); }
  template <class T>
  std::string operator()(const std::vector<T>& values) const {
    std::string text = "[";
    for (const T& value : values) {
      if (text.size() > 1) text += ", ";
      text += (*this)(value);
    }
    return text + "]";
  }
};

std::string plain(double value) {
  return fmt::format("{}", value);
}

}  // namespace

std::string toml_text(double value) {
  return ToToml{}(value);
}
std::string toml_text(const std::string& value) {
  return ToToml{}(value);
}
std::string toml_text(const Field::Target& target) {
  return std::visit([](const auto* value) { return ToToml{}(*value); }, target);
}

std::string type_name(const Field& field) {
  return type_names[field.target.index()];
}

std::string range_text(const Range& range) {
  const bool below = std::isfinite(range.min), above = std::isfinite(range.max);
  if (below && above) {
    if (!range.min_open && !range.max_open) {
      return fmt::format("between {} and {}", plain(range.min), plain(range.max));
    }
    return fmt::format("{} {} and {} {}", range.min_open ? "greater than" : "at least", plain(range.min),
                       range.max_open ? "less than" : "at most", plain(range.max));
  }
  if (below) return fmt::format("{} {}", range.min_open ? "greater than" : "at least", plain(range.min));
  if (above) return fmt::format("{} {}", range.max_open ? "less than" : "at most", plain(range.max));
  return "";
}

std::string allowed_values(const Field& field) {
  const std::string range = range_text(field.range);
  return fmt::format("{}{}{}", range, range.empty() || field.choices.empty() ? "" : ", ",
                     join(field.choices, ", "));
}

std::string toml_table(const KeyTable& keys, const std::string& header) {
  std::string text = header + "\n";
  for (const Field& field : keys.all()) {
    const auto* const* choice = std::get_if<std::string*>(&field.target);
    if (choice != nullptr && !field.choices.empty() && (*choice)->empty()) continue;
    text += fmt::format("{} = {}{}{}\n", field.key, toml_text(field.target),
                        field.comment.empty() ? "" : "  # ", field.comment);
  }
  return text;
}

Field& KeyTable::add(std::string_view key, std::string_view unit, std::string_view meaning,
                     Field::Target target, Range range, std::vector<std::string> choices) {
  Field field;
  field.key = key;
  field.unit = unit;
  field.meaning = meaning;
  field.target = target;
  field.range = range;
  field.choices = std::move(choices);
  field.default_text = toml_text(target);
  return keys_.emplace_back(std::move(field));
}

Field& KeyTable::number(std::string_view key, double& target, std::string_view unit, std::string_view meaning,
                        Range range) {
  return add(key, unit, meaning, &target, range, {});
}
Field& KeyTable::integer(std::string_view key, int& target, std::string_view unit, std::string_view meaning,
                         Range range) {
  return add(key, unit, meaning, &target, range, {});
}
Field& KeyTable::integer_or_word(std::string_view key, IntegerOrWord& target, std::vector<std::string> words,
                                 std::string_view unit, std::string_view meaning, Range range) {
  return add(key, unit, meaning, &target, range, std::move(words));
}
Field& KeyTable::flag(std::string_view key, bool& target, std::string_view meaning) {
  return add(key, "", meaning, &target, {}, {});
}
Field& KeyTable::choice(std::string_view key, std::string& target, std::vector<std::string> choices,
                        std::string_view meaning) {
  return add(key, "", meaning, &target, {}, std::move(choices));
}
Field& KeyTable::text(std::string_view key, std::string& target, std::string_view meaning) {
  return add(key, "", meaning, &target, {}, {});
}
Field& KeyTable::numbers(std::string_view key, std::vector<double>& target, std::string_view unit,
                         std::string_view meaning, Range range) {
  return add(key, unit, meaning, &target, range, {});
}
Field& KeyTable::integers(std::string_view key, std::vector<int>& target, std::string_view unit,
                          std::string_view meaning, Range range) {
  return add(key, unit, meaning, &target, range, {});
}
Field& KeyTable::texts(std::string_view key, std::vector<std::string>& target, std::string_view meaning,
                       std::vector<std::string> choices) {
  return add(key, "", meaning, &target, {}, std::move(choices));
}

const Field* KeyTable::find(std::string_view key) const {
  for (const Field& field : keys_) {
    if (field.key == key) return &field;
  }
  return nullptr;
}

void KeyTable::set_comment(std::string_view key, std::string comment) {
  for (Field& field : keys_) {
    if (field.key == key) field.comment = std::move(comment);
  }
}

bool KeyTable::was_given(std::string_view key) const {
  const Field* field = find(key);
  return field != nullptr && !field->origin.where.empty();
}

bool KeyTable::was_set(std::string_view key) const {
  const Field* field = find(key);
  return field != nullptr && field->origin.where.starts_with(of_settings);
}

const Origin& KeyTable::origin_of(std::string_view key) const {
  const Field* field = find(key);
  return field != nullptr && !field->origin.where.empty() ? field->origin : origin_;
}

std::string KeyTable::message(std::string_view key, std::string_view what) const {
  const std::string& where = origin_of(key).where;
  return printable(fmt::format("{}{}{}.{}: {}", where, where.empty() ? "" : ": ", table_, key, what),
                   Lines::join);
}

void KeyTable::reject(std::string_view key, std::string_view why) const {
  throw InputError(message(key, why) + origin_of(key).excerpt);
}

}  // namespace meander::io
