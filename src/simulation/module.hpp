// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A module: an equation with its scenarios, diagnostics, refinement criteria and boundary conditions. Each
// folder of src/physics is one; programs may register more (own_equation.hpp).

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mesh/boundary_condition.hpp"
#include "simulation/diagnostic.hpp"
#include "simulation/equation.hpp"
#include "simulation/equation_table.hpp"
#include "simulation/refinement_criterion.hpp"
#include "simulation/scenario.hpp"

namespace meander::simulation {

struct Module {
  std::string name;       // value of solver.equation
  std::string meaning;    // "the linear advection equation"
  std::vector<int> dims;  // dimensions it exists in
  std::function<std::unique_ptr<Equation>()> make;
  std::vector<EquationTableEntry> tables = {};  // of the input, beside [solver]
  std::vector<ScenarioEntry> scenarios = {};
  // Scenarios that exist no longer, each with the message that names what replaces it.
  std::vector<std::pair<std::string, std::string>> former_scenarios = {};
  std::vector<DiagnosticEntry> diagnostics = {};
  std::vector<CriterionEntry> criteria = {};
  std::vector<const mesh::BoundaryCondition*> boundary_conditions = {};
  std::vector<std::string> plot_fields = {};  // default of output.fields
  std::string fields_meaning = {};  // a paragraph for docs/input.md on plot fields that need an explanation
  std::string remedy = {};          // what helps against inadmissible states; ends the message about one
};

// All modules: those of the library, of which the first is the default, then the registered ones.
const std::vector<const Module*>& modules();
// Throws std::invalid_argument if the name is taken. Call before an input file is read, from one thread.
void register_module(Module module);
// The module of that name; null if there is none.
const Module* find_module(const std::string& name);

// The modules of the library, listed in physics/modules.cpp.
std::vector<const Module*> built_in_modules();

// All boundary conditions: those for any equation, then those of the modules.
std::vector<const mesh::BoundaryCondition*> boundary_conditions();

}  // namespace meander::simulation
