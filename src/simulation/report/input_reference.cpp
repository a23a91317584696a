// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/report/input_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "simulation/config/field_names.hpp"
#include "simulation/module.hpp"
#include "simulation/report/input_description.hpp"

namespace meander::simulation {

namespace {

using io::Field;

std::string default_of(const Field& field) {
  if (field.required) return "required";
  if (field.default_text == "\"\"") return "";
  return field.default_text;
}

std::string code(const std::string& text) {
  return fmt::format("`{}`", text);
}

// Text into a cell of a table.
std::string cell(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c;
  }
  return result;
}

// "of the ball" as a sentence of its own: "Of the ball."
std::string sentence(std::string text) {
  if (text.empty()) return text;
  // A first word such as "top-hat:" is a value, and keeps its letters.
  if (text.find(':') > text.find(' '))
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  if (text.back() != '.') text += '.';
  return text;
}

std::string key_table(const InputSection& section) {
  std::string text =
      "| key | type | unit | default | allowed | at restart | meaning |\n|---|---|---|---|---|---|---|\n";
  for (const Field& field : section.keys.all()) {
    std::string allowed = io::range_text(field.range);
    for (const std::string& choice : field.choices) allowed += (allowed.empty() ? "" : ", ") + code(choice);
    std::string standard = default_of(field);
    if (!field.required && has_toml_default(field) && !standard.empty()) standard = code(standard);
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", code(field.key), io::type_name(field),
                        cell(field.unit), cell(standard), cell(allowed),
                        is_fixed(section, field) ? "fixed" : "", cell(sentence(field.meaning)));
  }
  return text;
}

constexpr const char* preface = R"(# The input file

<!-- Made by `meander input-reference`; do not edit. A test compares the two. -->

A run is described by one TOML file. `meander check INPUT` reads it, checks it and prints it with every default
filled in; `meander run INPUT` does the same before anything else. A key that is misspelt, of the wrong type or out
of range stops the program with exit code 2 and a message that names file, line and column.

`--set table.key=value` replaces or adds a key, as often as given; the last one wins. The value is TOML, and a bare
word is a string: `--set mesh.patch-size=17 --set solver.scheme=muscl --set "domain.cells=[27, 27, 27]"`. Tables of
an array are counted from 0: `--set refinement[0].level=5`.

Lengths, times, densities are in units of your choice: the equations have no constant of nature in them.

`meander restart CHECKPOINT [INPUT]` goes on from a checkpoint with the input that wrote it, or with another one. Keys
that are fixed at restart must be the same in both; all others may change. Besides, an axis stays periodic or not,
`mesh.max-level` must not be below the finest leaf of the checkpoint, `mesh.min-level` must not be raised, and `time.end`
must not lie before the checkpoint.
)";

// What output.fields may name.
std::string fields_of(const Module& module) {
  const auto solver = module.make()->make_solver(module.dims.back());
  const auto list = [](const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + code(name);
    return text;
  };
  return fmt::format("\n### Fields of equation = \"{}\"\n{}.\n\nWithout `fields`: {}.\n{}", module.name,
                     list(plot_names(*solver)), list(module.plot_fields), module.fields_meaning);
}

// Of a choice: what it is, and where it exists.
std::string choice_meaning(const InputSection& section) {
  std::string text = section.selector == "kind" ? section.meaning : sentence(section.meaning);
  if (section.dims.empty()) return text + "\n";
  text += ' ' + dimension_text(section.dims);
  if (!section.equation.empty() && section.equation != modules().front()->name)
    text += fmt::format(", equation = \"{}\"", section.equation);
  return text + ".\n";
}

}  // namespace

std::string input_reference(const std::vector<ScenarioEntry>& known_scenarios) {
  const InputDescription description(known_scenarios);
  std::string text = preface;
  for (const InputSection& section : description.sections()) {
    if (section.selector.empty()) {
      const bool is_array = section.table == "refinement";
      text += fmt::format("\n## {0}[{2}]{1}\n{3}", is_array ? "[" : "", is_array ? "]" : "", section.table,
                          section.intro);
      if (!is_array) text += '\n' + key_table(section);
      if (section.table == "output") {
        for (const Module* module : modules()) text += fields_of(*module);
      }
      continue;
    }
    text += fmt::format("\n### {} = \"{}\"\n{}", section.selector, section.choice, choice_meaning(section));
    if (!section.keys.all().empty()) text += '\n' + key_table(section);
  }
  return text;
}

std::string scenario_list(const std::vector<ScenarioEntry>& known_scenarios) {
  const InputDescription description(known_scenarios);
  std::string text;
  for (const InputSection& section : description.sections()) {
    if (section.table != "scenario" || section.selector.empty()) continue;
    text += fmt::format("{}{} ({}): {}\n", text.empty() ? "" : "\n", section.choice,
                        dimension_text(section.dims), section.meaning);
    std::size_t width = 0;
    for (const Field& field : section.keys.all()) {
      width = std::max(width, field.key.size() + default_of(field).size());
    }
    for (const Field& field : section.keys.all()) {
      const std::string assignment = fmt::format("{} = {}", field.key, field.default_text);
      const std::string allowed = io::allowed_values(field);
      text += fmt::format("  {:<{}}  {}{}{}\n", assignment, width + 3,
                          field.unit.empty() ? "" : fmt::format("[{}] ", field.unit), field.meaning,
                          allowed.empty() ? "" : fmt::format(" ({})", allowed));
    }
  }
  return text;
}

}  // namespace meander::simulation
