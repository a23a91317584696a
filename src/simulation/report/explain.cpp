// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/report/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "base/join.hpp"
#include "io/nearest.hpp"
#include "simulation/report/input_description.hpp"

namespace meander::simulation {

namespace {

using io::Field;

constexpr std::size_t line_width = 100;

// The text in lines of at most line_width, each indented by `indent` blanks.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string result;
  result.append(indent, ' ');
  std::size_t column = indent, at = 0;
  while (at < text.size()) {
    std::size_t end = text.find(' ', at);
    if (end == std::string::npos) end = text.size();
    if (column > indent && column + 1 + end - at > line_width) {
      result.append(1, '\n').append(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += text.substr(at, end - at);
    column += end - at;
    at = end + 1;
  }
  return result;
}

double number_within(const io::Range& range) {
  const bool below = std::isfinite(range.min), above = std::isfinite(range.max);
  if (below && above) return 0.5 * (range.min + range.max);
  if (below) return range.min + 1;
  return above ? range.max - 1 : 1;
}

// An example value for a key whose default is not TOML, empty or missing.
struct Example {
  const Field& field;
  static constexpr std::size_t axes = 3;

  std::string operator()(const double*) const { return io::toml_text(number_within(field.range)); }
  std::string operator()(const int*) const {
    return fmt::format("{}", static_cast<int>(std::ceil(number_within(field.range))));
  }
  std::string operator()(const bool*) const { return "true"; }
  std::string operator()(const std::string*) const {
    return io::toml_text(field.choices.empty() ? std::string("...") : field.choices.front());
  }
  std::string operator()(const io::IntegerOrWord*) const { return (*this)(static_cast<const int*>(nullptr)); }
  std::string operator()(const std::vector<std::string>*) const {
    return fmt::format("[{}]", (*this)(static_cast<const std::string*>(nullptr)));
  }
  template <class T>
  std::string operator()(const std::vector<T>*) const {
    const std::vector<std::string> all(axes, (*this)(static_cast<const T*>(nullptr)));
    return fmt::format("[{}]", join(all, ", "));
  }
};

std::string default_text(const Field& field) {
  if (field.required) return "none: the key is required";
  if (field.default_text == "\"\"") return "none";
  return field.default_text;
}

std::string condition(const InputSection& section) {
  return section.selector.empty() ? "" : fmt::format("with {} = \"{}\"", section.selector, section.choice);
}

std::string header(const InputSection& section) {
  return section.is_array ? fmt::format("[[{}]]", section.table) : fmt::format("[{}]", section.table);
}

// The explanation of a key without its name and its conditions.
std::string body(const InputSection& section, const Field& field) {
  const std::string allowed = io::allowed_values(field);
  std::string text = fmt::format("{}\n", wrapped(field.meaning, 2));
  text += fmt::format("  type        {}\n", io::type_name(field));
  if (!field.unit.empty()) text += fmt::format("  unit        {}\n", field.unit);
  text += fmt::format("  default     {}\n", default_text(field));
  if (!allowed.empty()) text += fmt::format("  allowed     {}\n", wrapped(allowed, 14).substr(14));
  text +=
      fmt::format("  at restart  {}\n", is_fixed(section, field) ? "cannot be changed" : "may be changed");
  return text + fmt::format("  example     {} in {}\n", example_line(field), header(section));
}

// A key and all choices with the same explanation.
struct Answer {
  std::string name, text;
  std::vector<std::string> conditions;
};

void add_answer(std::vector<Answer>& answers, const InputSection& section, const Field& field) {
  const std::string name = section.table + '.' + field.key, text = body(section, field);
  auto same = std::find_if(answers.begin(), answers.end(),
                           [&](const Answer& other) { return other.name == name && other.text == text; });
  if (same == answers.end()) same = answers.insert(answers.end(), {name, text, {}});
  if (!section.selector.empty()) same->conditions.push_back(condition(section));
}

std::string said(const std::vector<Answer>& answers) {
  std::string text;
  for (const Answer& answer : answers) {
    if (!text.empty()) text += '\n';
    text += answer.name;
    if (!answer.conditions.empty()) text += fmt::format("\n{}", wrapped(join(answer.conditions, ", "), 2));
    text += fmt::format("\n{}", answer.text);
  }
  return text;
}

// The keys of a section, one per line.
std::string key_list(const InputSection& section) {
  std::size_t width = 0;
  for (const Field& field : section.keys.all()) width = std::max(width, field.key.size());
  std::string text;
  for (const Field& field : section.keys.all()) {
    const std::string line = fmt::format("  {:<{}}  ", field.key, width);
    text += fmt::format("{}{}\n", line, wrapped(field.meaning, line.size()).substr(line.size()));
  }
  return text;
}

std::string said_of_section(const InputSection& section) {
  const std::string title =
      section.selector.empty() ? header(section) : fmt::format("{} {}", header(section), condition(section));
  return fmt::format("{}\n{}\n{}", title, wrapped(section.meaning, 2), key_list(section));
}

std::string all_tables(const InputDescription& description) {
  std::string text = "The tables of an input file:\n";
  for (const InputSection& section : description.sections()) {
    if (section.selector.empty()) text += fmt::format("  {:<16}  {}\n", header(section), section.meaning);
  }
  return text +
         "`meander explain TABLE` lists the keys of a table, `meander explain TABLE.KEY` explains a key.\n";
}

std::string without_brackets(std::string name) {
  std::erase_if(name, [](char c) { return c == '[' || c == ']'; });
  return name;
}

}  // namespace

std::string example_line(const Field& field) {
  const bool usable = !field.required && has_toml_default(field) && field.default_text != "\"\"" &&
                      field.default_text != "[]";
  if (!field.example.empty()) return fmt::format("{} = {}", field.key, field.example);
  const std::string value = usable ? field.default_text : std::visit(Example{field}, field.target);
  return fmt::format("{} = {}", field.key, value);
}

std::string explain(const std::string& name, const std::vector<ScenarioEntry>& known_scenarios) {
  const InputDescription description(known_scenarios);
  if (name.empty()) return all_tables(description);
  const std::string wanted = without_brackets(name);
  std::vector<Answer> answers;
  std::string sections;
  std::set<std::string> names;
  for (const InputSection& section : description.sections()) {
    names.insert(section.table);
    if (!section.choice.empty()) names.insert(section.choice);
    if (wanted == section.table || wanted == section.choice)
      sections += fmt::format("{}{}", sections.empty() ? "" : "\n", said_of_section(section));
    for (const Field& field : section.keys.all()) {
      names.insert(section.table + "." + field.key);
      if (wanted.find('.') == std::string::npos) names.insert(field.key);
      if (wanted == field.key || wanted == section.table + '.' + field.key)
        add_answer(answers, section, field);
    }
  }
  const std::string text =
      fmt::format("{}{}{}", sections, sections.empty() || answers.empty() ? "" : "\n", said(answers));
  if (!text.empty()) return text;
  const std::vector<std::string> all(names.begin(), names.end());
  const std::string near = io::nearest(wanted, all);
  throw InputError(fmt::format("meander: the input file has no key '{}'{} (see meander explain)", name,
                               near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

std::string explained_keys(const std::vector<ScenarioEntry>& known_scenarios) {
  const InputDescription description(known_scenarios);
  std::set<std::string> keys;
  for (const InputSection& section : description.sections()) {
    for (const Field& field : section.keys.all()) keys.insert(section.table + '.' + field.key);
  }
  return join(std::vector(keys.begin(), keys.end()), "\n") + '\n';
}

}  // namespace meander::simulation
