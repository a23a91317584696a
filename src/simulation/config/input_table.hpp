// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The tables of an input file, in one list: from it come the reading, the checks, the resolved input,
// docs/input.md and `meander explain`.

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/document.hpp"
#include "io/key_table.hpp"
#include "simulation/config/config.hpp"
#include "simulation/config/describe_config.hpp"
#include "simulation/module.hpp"

namespace meander::simulation {

// A diagnostic with the keys that it has declared in [diagnostics].
struct DraftedDiagnostic {
  const Module* module = nullptr;
  std::shared_ptr<Diagnostic> diagnostic;
  std::size_t first_key = 0, end_key = 0;
};

// An input while it is read: all that its keys point to. Its address must not change.
struct InputDraft {
  const std::vector<ScenarioEntry>& known_scenarios;
  double memory = 0;  // bytes that the run may use
  Config config = {};
  BoundaryNames boundary_names = {};
  std::string weights = weight_names().front();
  const Module* module = nullptr;  // null until the input names it, as its equation
  std::shared_ptr<Equation> equation = nullptr;
  std::vector<DraftedDiagnostic> diagnostics = {};
  // The tables declared so far, for checks between them.
  std::map<std::string, io::KeyTable> tables = {};
};

struct InputTable {
  const char* name;
  const char* meaning;     // one line
  std::string (*intro)();  // what docs/input.md says before the keys; "" or paragraphs
  int turn;                // tables are read in this order: defaults and checks use earlier ones
  // Before describe(), when an input is read: keys that decide which others there are. May be null.
  void (*prepare)(const io::Document& document, InputDraft& draft);
  // Declares the keys, with defaults from the draft. Null: an array of tables, whose keys depend on `kind`.
  void (*describe)(io::KeyTable& keys, InputDraft& draft);
  // Keys that belong elsewhere, with what to say. May be null.
  io::Document::Hints (*hints)(const InputDraft& draft);
  // What must hold between the keys that were read, and what follows from them. May be null.
  void (*check)(const io::KeyTable& keys, InputDraft& draft);
};

// In the order of the resolved input and of docs/input.md. Adding a table is adding an entry.
const std::vector<InputTable>& input_tables();

}  // namespace meander::simulation
