// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/report/input_description.hpp"

#include <fmt/format.h>

#include <deque>

#include "simulation/config/input_table.hpp"
#include "simulation/module.hpp"

namespace meander::simulation {

// The targets of all keys.
struct InputDescription::Targets {
  InputDraft draft;
  std::deque<std::string> kinds;
  std::vector<std::unique_ptr<RefinementCriterion>> criteria;
  std::vector<std::unique_ptr<Equation>> equations;
  std::vector<std::unique_ptr<Scenario>> scenarios;
  std::vector<std::unique_ptr<Diagnostic>> diagnostics;
};

InputDescription::InputDescription(const std::vector<ScenarioEntry>& known_scenarios)
    : targets_(std::make_unique<Targets>(Targets{{.known_scenarios = known_scenarios}, {}, {}, {}, {}, {}})) {
  Targets& to = *targets_;
  Config& config = to.draft.config;
  const Module& standard = *modules().front();
  config.equation_name = standard.name;
  config.solver = standard.make()->make_solver(3);
  for (const InputTable& table : input_tables()) {
    InputSection section{.table = table.name,
                         .selector = {},
                         .choice = {},
                         .meaning = table.meaning,
                         .intro = table.intro(),
                         .is_array = table.is_array(),
                         .keys = io::KeyTable(table.name)};
    if (table.describe != nullptr) table.describe(section.keys, to.draft);
    if (table.diagnostic != nullptr) {
      to.diagnostics.push_back(table.diagnostic->make());
      to.diagnostics.back()->describe(section.keys);
    }
    for (io::Field& field : section.keys.all()) {
      if (section.table != "output" || field.key != "fields") continue;
      field.choices.clear();  // they depend on the equation
      field.default_text = "the equation's";
    }
    sections_.push_back(std::move(section));
    const std::string name = table.name;
    if (name == "refinement") add_criteria(name);
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
                         .intro = {},
                         .is_array = true,
                         .keys = io::KeyTable(table)};
    describe_kind(section.keys, targets_->kinds.emplace_back());
    targets_->criteria.push_back(entry.make());
    targets_->criteria.back()->describe(section.keys, targets_->draft.config);
    sections_.push_back(std::move(section));
  }
}

void InputDescription::add_equations(const std::string& table) {
  for (const Module* module : modules()) {
    InputSection section{.table = table,
                         .selector = "equation",
                         .choice = module->name,
                         .meaning = module->meaning,
                         .intro = {},
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
                         .intro = {},
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

}  // namespace meander::simulation
