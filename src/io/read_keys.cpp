// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Reads values of the input file into the targets of a KeyTable, and rejects invalid ones.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/join.hpp"
#include "io/document.hpp"
#include "io/nearest.hpp"

namespace meander::io {

namespace {

using Kind = Value::Kind;

std::string article(const std::string& noun) {
  if (noun == "true or false") return noun;
  return (std::string("aeiou").find(noun[0]) != std::string::npos ? "an " : "a ") + noun;
}

// "the string \"nine\"", "the integer 3", "a list".
std::string described(const Value& value) {
  switch (value.kind) {
    case Kind::flag:
      return value.flag ? "true" : "false";
    case Kind::integer:
      return fmt::format("the integer {}", value.integer);
    case Kind::number:
      return "the number " + toml_text(value.number);
    case Kind::text:
      return "the string " + toml_text(value.text);
    case Kind::list:
      return "a list";
    case Kind::table:
      return "a table";
    case Kind::date:
      break;
  }
  return "a date or time";
}

class Reader {
 public:
  Reader(const KeyTable& keys, Field& field) : keys_(keys), field_(field) {}

  void operator()(double* target, const Value& value) const { *target = number(value); }
  void operator()(int* target, const Value& value) const { *target = integer(value); }
  void operator()(IntegerOrWord* target, const Value& value) const {
    if (value.kind == Kind::integer) {
      *target = integer(value);
      return;
    }
    const std::string& given = value.kind == Kind::text ? value.text : value.bare;
    if (std::ranges::find(field_.choices, given) == field_.choices.end())
      refuse(value, fmt::format("must be an integer{}, but is {}", or_words(), described(value)));
    *target = given;
  }
  void operator()(bool* target, const Value& value) const {
    if (value.kind != Kind::flag) wrong_type(value);
    *target = value.flag;
  }
  void operator()(std::string* target, const Value& value) const { *target = text(value); }
  void operator()(std::vector<double>* target, const Value& value) const {
    list(target, value, [this](const Value& item) { return number(item); });
  }
  void operator()(std::vector<int>* target, const Value& value) const {
    list(target, value, [this](const Value& item) { return integer(item); });
  }
  void operator()(std::vector<std::string>* target, const Value& value) const {
    list(target, value, [this](const Value& item) { return text(item); });
  }

 private:
  template <class T, class Read>
  void list(std::vector<T>* target, const Value& value, Read read) const {
    if (value.kind != Kind::list) wrong_type(value);
    std::vector<T> result;
    for (const Value& item : value.items) result.push_back(read(item));
    *target = std::move(result);
  }

  double number(const Value& value) const {
    if (value.kind != Kind::number && value.kind != Kind::integer) wrong_type(value);
    if (!std::isfinite(value.number))
      refuse(value, "must be a finite number, but is " + toml_text(value.number));
    check_range(value, value.number);
    return value.number;
  }

  int integer(const Value& value) const {
    if (value.kind != Kind::integer) wrong_type(value);
    check_range(value, value.number);
    using Limits = std::numeric_limits<int>;
    if (value.integer < Limits::min() || value.integer > Limits::max()) {
      refuse(value, fmt::format("must be between {} and {}, but is {}", Limits::min(), Limits::max(),
                                value.integer));
    }
    return static_cast<int>(value.integer);
  }

  std::string text(const Value& value) const {
    if (value.kind != Kind::text && value.bare.empty()) wrong_type(value);
    const std::string& given = value.kind == Kind::text ? value.text : value.bare;
    const auto& choices = field_.choices;
    if (!choices.empty() && std::find(choices.begin(), choices.end(), given) == choices.end()) {
      const std::string near = nearest(given, choices);
      refuse(value,
             fmt::format("'{}' is none of the choices; {}allowed: {}", given,
                         near.empty() ? "" : fmt::format("did you mean '{}'? ", near), join(choices, ", ")));
    }
    return given;
  }

  void check_range(const Value& value, double x) const {
    const Range& r = field_.range;
    if (x < r.min || x > r.max || (r.min_open && x == r.min) || (r.max_open && x == r.max)) {
      refuse(value, fmt::format("must be {}{}{}, but is {}", range_text(r),
                                field_.unit.empty() ? "" : " [" + field_.unit + "]", or_words(),
                                value.kind == Kind::integer ? fmt::format("{}", value.integer)
                                                            : fmt::format("{}", x)));
    }
  }

  // " or 'auto'", if words are allowed beside numbers.
  std::string or_words() const {
    std::string text;
    if (!std::holds_alternative<IntegerOrWord*>(field_.target)) return text;
    for (const std::string& word : field_.choices) text += fmt::format(" or '{}'", word);
    return text;
  }

  [[noreturn]] void wrong_type(const Value& value) const {
    refuse(
        value,
        fmt::format("must be {}, but is {}{}", article(type_name(field_)), described(value),
                    field_.choices.empty() ? "" : fmt::format("; allowed: {}", join(field_.choices, ", "))));
  }
  // The message points at the value itself, which may be one of a list.
  [[noreturn]] void refuse(const Value& value, const std::string& why) const {
    field_.origin = value.origin;
    keys_.reject(field_.key, why);
  }

  const KeyTable& keys_;
  Field& field_;
};

}  // namespace

void Document::read(KeyTable& keys, const Hints& hints, bool strict) const {
  const Value* table = find(keys.table());
  keys.set_origin(table != nullptr ? table->origin : Origin{end_});
  if (table != nullptr) {
    for (const Entry& entry : table->entries) {
      Field* field = nullptr;
      for (Field& candidate : keys.all()) {
        if (candidate.key == entry.key) field = &candidate;
      }
      if (field == nullptr) {
        if (!strict) continue;
        keys.set_origin(entry.origin);
        for (const auto& [key, hint] : hints) {
          if (key == entry.key) keys.reject(entry.key, hint);
        }
        std::vector<std::string> known_keys;
        for (const Field& known : keys.all()) known_keys.push_back(known.key);
        keys.reject(entry.key, "unknown key" + suggestion(entry.key, known_keys));
      }
      const Reader reader(keys, *field);
      std::visit([&](auto* target) { reader(target, entry.value); }, field->target);
      field->origin = entry.value.origin;
    }
  }
  for (const Field& field : keys.all()) {
    if (field.required && field.origin.where.empty()) {
      std::string allowed = allowed_values(field);
      if (!allowed.empty()) allowed = " (" + allowed + ")";
      keys.reject(field.key,
                  fmt::format("is required: {}{}: {}", article(type_name(field)), allowed, field.meaning));
    }
  }
}

}  // namespace meander::io
