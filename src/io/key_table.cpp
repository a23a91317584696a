// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/key_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/join.hpp"
#include "base/printable.hpp"
#include "io/document.hpp"
#include "io/nearest.hpp"

namespace meander::io {

namespace {

constexpr const char* type_names[] = {
    "number",          "integer",           "true or false",   "string",
    "list of numbers", "list of integers",  "list of strings", "integer or string",
    "formula",         "table of formulas", "word or table",   "list of tables"};
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
  std::string operator()(const FormulaText& value) const { return quoted(value.text); }
  std::string operator()(const NamedFormulas& values) const {
    std::string text;
    for (const auto& [name, formula] : values)
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, quoted(formula.text));
    return '{' + text + '}';
  }
  std::string operator()(const WordWithFormulas& value) const {
    if (value.formulas.empty()) return quoted(value.word);
    return fmt::format("{{kind = {}, {}", quoted(value.word), (*this)(value.formulas).substr(1));
  }
  // Keys that were not given have their defaults, and are left out.
  std::string operator()(const TableList& list) const {
    std::string text;
    for (const KeyTable& keys : list.tables) {
      std::string table;
      for (const Field& field : keys.all()) {
        if (!field.origin.where.empty())
          table += fmt::format("{}{} = {}", table.empty() ? "" : ", ", field.key, toml_text(field.target));
      }
      text += fmt::format("{}{{{}}}", text.empty() ? "" : ", ", table);
    }
    return '[' + text + ']';
  }
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

namespace {

// A choice, or a word with formulas, without a value.
bool is_unset(const Field& field) {
  if (const auto* const* word = std::get_if<WordWithFormulas*>(&field.target)) return (*word)->word.empty();
  const auto* const* choice = std::get_if<std::string*>(&field.target);
  return choice != nullptr && !field.choices.empty() && (*choice)->empty();
}

}  // namespace

std::string toml_table(const KeyTable& keys, const std::string& header) {
  std::string text = header + "\n";
  for (const Field& field : keys.all()) {
    if (is_unset(field)) continue;
    text += fmt::format("{} = {}{}{}\n", field.key, toml_text(field.target),
                        field.comment.empty() ? "" : "  # ", field.comment);
  }
  return text;
}

Field& KeyTable::add(Text key, Text unit, Text meaning, Field::Target target, Range range, Words choices) {
  Field field;
  field.key = key;
  field.unit = unit;
  field.meaning = meaning;
  field.target = target;
  field.range = range;
  field.choices = std::move(choices);
  field.default_text = field.declared = toml_text(target);
  return keys_.emplace_back(std::move(field));
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

// Reads values of the input file into the targets of a KeyTable, and rejects invalid ones.

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

void read_table(KeyTable& keys, const Value& table, const Document::Hints& hints, bool strict);
void check_required(const KeyTable& keys);

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
  void operator()(FormulaText* target, const Value& value) const { *target = formula(value); }
  void operator()(NamedFormulas* target, const Value& value) const {
    if (value.kind != Kind::table) wrong_type(value);
    target->clear();
    for (const Entry& entry : value.entries) target->push_back({entry.key, formula(entry.value, entry.key)});
  }
  void operator()(WordWithFormulas* target, const Value& value) const {
    if (value.kind != Kind::table) {
      *target = {text(value), {}};
      return;
    }
    *target = {};
    for (const Entry& entry : value.entries) {
      if (entry.key == "kind")
        target->word = text(entry.value);
      else
        target->formulas.push_back({entry.key, formula(entry.value, entry.key)});
    }
    if (target->word.empty())
      refuse(value, fmt::format("a table here needs the key kind; allowed: {}", join(field_.choices, ", ")));
  }
  void operator()(TableList* target, const Value& value) const {
    if (value.kind != Kind::list) wrong_type(value);
    for (const Value& item : value.items) {
      if (item.kind != Kind::table)
        refuse(item, fmt::format("must be tables, but one is {}", described(item)));
      KeyTable& keys = target->tables.emplace_back(
          fmt::format("{}.{}[{}]", keys_.table(), field_.key, target->tables.size()));
      target->describe_next(keys);
      read_table(keys, item, {}, true);
    }
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
    if (value.integer > Limits::max())
      refuse(value, fmt::format("must be at most {}, but is {}", Limits::max(), value.integer));
    if (value.integer < Limits::min())
      refuse(value, fmt::format("must be at least {}, but is {}", Limits::min(), value.integer));
    return static_cast<int>(value.integer);
  }

  // `name`: of a formula in a table of formulas.
  FormulaText formula(const Value& value, const std::string& name = "") const {
    if (value.kind == Kind::text) return {value.text, value.origin};
    if (!value.bare.empty()) return {value.bare, value.origin};
    if (value.kind != Kind::number && value.kind != Kind::integer)
      refuse(value, fmt::format("{}{}must be a formula, which is a string or a number, but is {}", name,
                                name.empty() ? "" : " ", described(value)));
    return {value.kind == Kind::integer ? fmt::format("{}", value.integer) : toml_text(value.number),
            value.origin};
  }

  std::string text(const Value& value) const {
    if (value.kind != Kind::text && value.bare.empty()) wrong_type(value);
    const std::string& given = value.kind == Kind::text ? value.text : value.bare;
    if (given.find('\0') != std::string::npos) refuse(value, "must not contain the character U+0000");
    const auto& choices = field_.choices;
    if (!choices.empty() && std::find(choices.begin(), choices.end(), given) == choices.end()) {
      for (const auto& [former, what_replaces_it] : field_.former_choices) {
        if (given == former) refuse(value, fmt::format("'{}' {}", given, what_replaces_it));
      }
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

// Reads the entries of a table of the input. `strict`: unknown keys are rejected, with a hint if there is one.
void read_table(KeyTable& keys, const Value& table, const Document::Hints& hints, bool strict) {
  keys.set_origin(table.origin);
  for (const Entry& entry : table.entries) {
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
  check_required(keys);
}

void check_required(const KeyTable& keys) {
  for (const Field& field : keys.all()) {
    if (field.required && field.origin.where.empty()) {
      std::string allowed = allowed_values(field);
      if (!allowed.empty()) allowed = " (" + allowed + ")";
      // Texts about formulas name their type themselves: "A formula of ...".
      const std::string type = article(type_name(field)), &meaning = field.meaning;
      const bool names_type =
          meaning.size() > type.size() && meaning.substr(1, type.size() - 1) == type.substr(1);
      keys.reject(field.key, names_type ? fmt::format("is required: a{}", meaning.substr(1))
                                        : fmt::format("is required: {}{}: {}", type, allowed, meaning));
    }
  }
}

}  // namespace

void Document::read(KeyTable& keys, const Hints& hints, bool strict) const {
  if (const Value* table = find(keys.table())) return read_table(keys, *table, hints, strict);
  keys.set_origin({end_});
  check_required(keys);
}

}  // namespace meander::io
