// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/report/input_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <deque>
#include <set>

#include "base/error.hpp"
#include "base/join.hpp"
#include "io/nearest.hpp"
#include "simulation/config/field_names.hpp"
#include "simulation/config/input_tables.hpp"
#include "simulation/module.hpp"

namespace meander::simulation {

// The targets of all keys.
struct InputDescription::Targets {
  InputDraft draft;
  std::deque<std::string> kinds;
  std::vector<std::unique_ptr<RefinementCriterion>> criteria;
  std::vector<std::unique_ptr<Equation>> equations;
  std::vector<std::unique_ptr<EquationTable>> equation_tables;
  std::vector<std::unique_ptr<Scenario>> scenarios;
  std::vector<std::unique_ptr<Diagnostic>> diagnostics;
  std::deque<RequestedOutput> outputs;
};

InputDescription::InputDescription(const std::vector<ScenarioEntry>& known_scenarios)
    : targets_(std::make_unique<Targets>(
          Targets{{.known_scenarios = known_scenarios}, {}, {}, {}, {}, {}, {}, {}})) {
  Targets& to = *targets_;
  Config& config = to.draft.config;
  const Module& standard = *modules().front();
  config.equation_name = standard.name;
  config.solver = standard.make()->make_solver(3);
  for (const InputTable& table : input_tables()) {
    InputSection section{.table = table.name,
                         .meaning = table.meaning,
                         .intro = table.intro(),
                         .is_array = table.is_array(),
                         .keys = io::KeyTable(table.name)};
    if (table.describe != nullptr) table.describe(section.keys, to.draft);
    if (table.diagnostic != nullptr) {
      to.diagnostics.push_back(table.diagnostic->make());
      to.diagnostics.back()->describe(section.keys);
    }
    if (table.of_equation != nullptr) {
      to.equation_tables.push_back(table.of_equation->make());
      to.equation_tables.back()->describe(section.keys, "");
    }
    for (io::Field& field : section.keys.all()) {
      if (section.table != "output" || field.key != "fields") continue;
      field.choices.clear();  // they depend on the equation
      field.default_text = "the equation's";
    }
    sections_.push_back(std::move(section));
    const std::string name = table.name;
    if (name == "refinement") add_criteria(name);
    if (name == "output") add_outputs();
    if (name == "solver") add_equations(name);
    if (name == "scenario") add_scenarios(name, known_scenarios);
  }
}

void InputDescription::add_criteria(const std::string& table) {
  for (const CriterionEntry& entry : refinement_criteria()) {
    InputSection section{.table = table,
                         .selector = "kind",
                         .choice = entry.name,
                         .meaning = entry.meaning,
                         .is_array = true,
                         .keys = io::KeyTable(table)};
    describe_kind(section.keys, targets_->kinds.emplace_back());
    targets_->criteria.push_back(entry.make());
    targets_->criteria.back()->describe(section.keys, targets_->draft.config);
    sections_.push_back(std::move(section));
  }
}

void InputDescription::add_outputs() {
  for (const OutputKindEntry& entry : output_kinds()) {
    const std::string table = fmt::format("output.{}", entry.name);
    InputSection section{.table = table,
                         .meaning = entry.meaning,
                         .is_array = true,
                         .is_part = true,
                         .keys = io::KeyTable(table)};
    RequestedOutput& target = targets_->outputs.emplace_back();
    target.kind = entry.kind;
    describe_requested_output(section.keys, target, targets_->draft.config);
    for (io::Field& field : section.keys.all()) {
      if (field.key == "fields" || field.key == "weight")
        field.choices.clear();  // they depend on the equation
    }
    sections_.push_back(std::move(section));
  }
}

void InputDescription::add_equations(const std::string& table) {
  for (const Module* module : modules()) {
    InputSection section{.table = table,
                         .selector = "equation",
                         .choice = module->name,
                         .meaning = module->meaning,
                         .dims = module->dims,
                         .keys = io::KeyTable(table)};
    targets_->equations.push_back(module->make());
    targets_->equations.back()->describe(section.keys, 3, targets_->draft.config.time.cfl);
    sections_.push_back(std::move(section));
  }
}

void InputDescription::add_scenarios(const std::string& table, const std::vector<ScenarioEntry>& known) {
  for (const ScenarioEntry& entry : known) {
    InputSection section{.table = table,
                         .selector = "name",
                         .choice = entry.name,
                         .meaning = entry.meaning,
                         .dims = entry.dims,
                         .equation = entry.equation,
                         .keys = io::KeyTable(table)};
    targets_->scenarios.push_back(entry.make());
    targets_->scenarios.back()->describe(section.keys);
    sections_.push_back(std::move(section));
  }
}

InputDescription::~InputDescription() = default;

bool is_fixed(const InputSection& section, const io::Field& field) {
  return is_fixed(section.keys, field);
}

bool has_toml_default(const io::Field& field) {
  return field.default_text == io::toml_text(field.target);
}

std::string dimension_text(const std::vector<int>& dims) {
  std::string text;
  for (const int dim : dims) text += fmt::format("{}{}D", text.empty() ? "" : ", ", dim);
  return text;
}

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

// Escapes text for a cell of a table.
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
  // A first word such as "top-hat:" is a value and keeps its case.
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

<!-- Generated by `meander input-reference`; do not edit. A test compares the two. -->

A TOML file describes a run. `meander check INPUT` checks it and prints it with every default filled in. `meander run
INPUT` first makes the same checks. A key that is misspelt, of the wrong type or out of range stops the program with
exit code 2 and a message with file, line and column.

`--set table.key=value` replaces or adds a key. It can be repeated; the last value of a key counts. The value is TOML;
a bare word is a string: `--set mesh.patch-size=17 --set solver.scheme=muscl --set "domain.cells=[27, 27, 27]"`. Tables of
an array are counted from 0: `--set refinement[0].level=5`.

Units are free: the equations contain no physical constants.

`meander restart CHECKPOINT [INPUT]` restarts from a checkpoint with the input in the checkpoint, or with another one.
Keys that are fixed at restart must not change; all others may. Moreover, an axis must not become or cease to be periodic, with
`gravity.method = "poisson"` a face must not become or cease to be a mirror (`reflecting`, `symmetric`),
`mesh.max-level` must not be below the finest leaf of the checkpoint, `mesh.min-level` must not be raised, and `time.end`
must not be earlier than the checkpoint.
)";

// The allowed values of output.fields.
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

// Meaning, dimensions and equation of a choice.
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
    if (section.is_part) {
      text += fmt::format("\n### [[{}]]\n\n{}\n\n{}", section.table, section.meaning, key_table(section));
      continue;
    }
    if (section.selector.empty()) {
      text += fmt::format("\n## {0}[{2}]{1}\n{3}", section.is_array ? "[" : "", section.is_array ? "]" : "",
                          section.table, section.intro);
      if (!section.keys.all().empty()) text += '\n' + key_table(section);
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

namespace {

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
  std::string operator()(const io::FormulaText*) const { return "\"1 + 0.1 * x\""; }
  std::string operator()(const io::NamedFormulas*) const { return "{a = \"1 + 0.1 * x\"}"; }
  std::string operator()(const io::WordWithFormulas*) const { return io::toml_text(field.choices.front()); }
  std::string operator()(const io::TableList*) const { return "[]"; }
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
