// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Every key of the input file, table after table, from the declarations that read it: for what is said about
// them.

#include <memory>
#include <string>
#include <vector>

#include "io/key_table.hpp"
#include "simulation/module.hpp"

namespace meander::simulation {

// Keys of one table: its own, or those it has besides where one of them, its selector, has a certain value.
struct InputSection {
  std::string table;           // "mesh"
  std::string selector;        // "kind", "equation", "name"; empty: the table's own keys
  std::string choice;          // what the selector must be: "ball"
  std::string meaning;         // of the table or the choice, in a few words
  std::string intro;           // of a table: paragraphs for docs/input.md
  std::vector<int> dims = {};  // of an equation or a scenario
  std::string equation = {};   // of a scenario
  io::KeyTable keys;
};

// "1D, 2D"
std::string dimension_text(const std::vector<int>& dims);

class InputDescription {
 public:
  explicit InputDescription(const std::vector<ScenarioEntry>& known_scenarios = scenarios());
  ~InputDescription();

  // In the order of input_tables(); the sections of a choice stand behind those of the table's own keys.
  const std::vector<InputSection>& sections() const { return sections_; }

 private:
  struct Targets;
  void add_criteria(const std::string& table);
  void add_equations(const std::string& table);
  void add_scenarios(const std::string& table, const std::vector<ScenarioEntry>& known);

  std::unique_ptr<Targets> targets_;
  std::vector<InputSection> sections_;
};

// Whether a restart must not change the key.
bool is_fixed(const InputSection& section, const io::Field& field);

// A default that is TOML, and not words that name other keys.
bool has_toml_default(const io::Field& field);

}  // namespace meander::simulation
