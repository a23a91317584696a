// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The keys of the input file, from the declarations that read them: the reference, the explanations and the list of
// scenarios.

#include <memory>
#include <string>
#include <vector>

#include "io/key_table.hpp"
#include "simulation/module.hpp"

namespace meander::simulation {

// The keys of a table that always exist, or those that exist for one value of another key, the selector.
struct InputSection {
  std::string table;           // "mesh"
  std::string selector = {};   // "kind", "equation", "name"; empty: the table's own keys
  std::string choice = {};     // the value of the selector: "ball"
  std::string meaning;         // of the table or the choice, in a few words
  std::string intro = {};      // of a table: paragraphs for docs/input.md
  bool is_array = false;       // [[table]]
  bool is_part = false;        // of the table before the point: [[output.slice]]
  std::vector<int> dims = {};  // of an equation or a scenario
  std::string equation = {};   // of a scenario
  io::KeyTable keys;
};

// "2D, 3D"
std::string dimension_text(const std::vector<int>& dims);

class InputDescription {
 public:
  explicit InputDescription(const std::vector<ScenarioEntry>& known_scenarios = scenarios());
  ~InputDescription();

  // In the order of input_tables(); sections of choices follow the section of the table's own keys.
  const std::vector<InputSection>& sections() const { return sections_; }

 private:
  struct Targets;
  void add_criteria(const std::string& table);
  void add_outputs();
  void add_equations(const std::string& table);
  void add_scenarios(const std::string& table, const std::vector<ScenarioEntry>& known);

  std::unique_ptr<Targets> targets_;
  std::vector<InputSection> sections_;
};

// Whether a restart must not change the key.
bool is_fixed(const InputSection& section, const io::Field& field);

// Whether the default is TOML and not a description in words.
bool has_toml_default(const io::Field& field);

// docs/input.md, whole.
std::string input_reference(const std::vector<ScenarioEntry>& known_scenarios = scenarios());

// `meander scenarios`: names, dimensions, parameters with unit, default, allowed values and meaning, for a
// terminal.
std::string scenario_list(const std::vector<ScenarioEntry>& known_scenarios = scenarios());

// `meander explain`: the meaning of a key of the input file, from its declaration, for a terminal.
// `name`: "table.key", a key alone (explained for every table that has it), a table ("mesh", "[mesh]"), a
// choice ("sedov", "ball"), or "" for all tables. Throws InputError for any other name, with the nearest
// one.
std::string explain(const std::string& name, const std::vector<ScenarioEntry>& known_scenarios = scenarios());

// Every "table.key", one per line, for completion.
std::string explained_keys(const std::vector<ScenarioEntry>& known_scenarios = scenarios());

// "patch-size = 9": a line of an input file with a valid value of the key.
std::string example_line(const io::Field& field);

}  // namespace meander::simulation
