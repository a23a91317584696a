// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The list of the input tables. Reading, checks, the resolved input, docs/input.md and `meander explain`
// follow from it.

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/document.hpp"
#include "io/key_table.hpp"
#include "simulation/config/config.hpp"
#include "simulation/config/regrid_interval.hpp"
#include "simulation/module.hpp"

namespace meander::simulation {

// [boundary], before more specific keys override general ones. "": not given.
struct BoundaryNames {
  io::WordWithFormulas all = {"periodic"};
  io::WordWithFormulas axis[3];
  io::WordWithFormulas side[6];
};

// A diagnostic and the range of its keys in [diagnostics].
struct DraftedDiagnostic {
  const Module* module = nullptr;
  std::shared_ptr<Diagnostic> diagnostic;
  std::size_t first_key = 0, end_key = 0;
};

// A table of the equation and its keys.
struct DraftedTable {
  std::shared_ptr<EquationTable> table;
  const io::KeyTable* keys = nullptr;
};

// An input that is being read: the targets of its keys. Its address must not change.
struct InputDraft {
  const std::vector<ScenarioEntry>& known_scenarios;
  double memory = 0;  // bytes that the run may use
  int ranks = 1;
  Config config = {};
  BoundaryNames boundary_names = {};
  std::string boundary_keys[6] = {};  // the key that sets a face
  std::string weights = "volumes";    // of [partition]
  io::IntegerOrWord regrid_every = chosen_interval;
  const Module* module = nullptr;  // null until solver.equation has been read
  std::shared_ptr<Equation> equation = nullptr;
  std::vector<DraftedTable> equation_tables = {};
  std::vector<DraftedDiagnostic> diagnostics = {};
  OutputDrafts outputs = {};
  // The tables declared so far, for checks across tables.
  std::map<std::string, io::KeyTable> tables = {};
};

struct InputTable {
  const char* name;
  const char* meaning;                 // one line
  std::function<std::string()> intro;  // paragraphs of docs/input.md before the keys; may be empty
  int turn;                            // tables are read in this order; defaults and checks use earlier ones
  // Called before describe() when an input is read: reads keys that determine which other keys exist. May be
  // null.
  void (*prepare)(const io::Document& document, InputDraft& draft) = nullptr;
  // Declares the keys, with defaults from the draft. Null: an array of tables, or a table of an equation.
  void (*describe)(io::KeyTable& keys, InputDraft& draft) = nullptr;
  // Keys of other tables or choices, with their messages. May be null.
  io::Document::Hints (*hints)(const InputDraft& draft) = nullptr;
  // Checks the keys that were read against each other and derives further values. May be null.
  void (*check)(const io::KeyTable& keys, InputDraft& draft) = nullptr;
  // Of an array of tables: each makes such a diagnostic of the module. Null: each is a refinement criterion, whose keys
  // depend on `kind`.
  const DiagnosticEntry* diagnostic = nullptr;
  // Of a table of an equation.
  const EquationTableEntry* of_equation = nullptr;
  const Module* module = nullptr;  // of either

  bool is_array() const { return describe == nullptr && of_equation == nullptr; }
};

// [[refinement]]: only the kind; the criterion describes the rest.
void describe_kind(io::KeyTable& keys, std::string& kind);

// What is known of the problem after [scenario].
ProblemSetup setup_of(const Config& config);

// Whether a restart must not change a key of a table.
bool is_fixed(const io::KeyTable& table, const io::Field& field);

// In the order of the resolved input and of docs/input.md. A new table is a new entry.
const std::vector<InputTable>& input_tables();

}  // namespace meander::simulation
