// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A module: an equation with everything that comes with it. Each folder of src/physics is one; programs may
// register more (own_equation.hpp).

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mesh/boundary_condition.hpp"
#include "simulation/diagnostic.hpp"
#include "simulation/equation.hpp"
#include "simulation/refinement_criterion.hpp"
#include "simulation/scenario.hpp"

namespace meander::simulation {

struct Module {
  std::string name;       // what solver.equation says
  std::string meaning;    // "the Euler equations of an ideal gas"
  std::vector<int> dims;  // dimensions it exists in
  std::function<std::unique_ptr<Equation>()> make;
  std::vector<ScenarioEntry> scenarios = {};
  std::vector<DiagnosticEntry> diagnostics = {};
  std::vector<CriterionEntry> criteria = {};
  std::vector<const mesh::BoundaryCondition*> boundary_conditions = {};
  std::vector<std::string> plot_fields = {};  // what plot files hold if the input does not say
  std::string fields_meaning = {};  // a paragraph for docs/input.md on plot fields whose names are not enough
};

// All modules: those of the library, the first being the default, then those that were registered.
const std::vector<const Module*>& modules();
// Throws std::invalid_argument if the name is taken. Before anything reads an input file, from one thread.
void register_module(Module module);
// The one of that name; null if there is none.
const Module* find_module(const std::string& name);

// The modules of the library. Defined in physics/modules.cpp, the one place that names them.
std::vector<const Module*> built_in_modules();

// All boundary conditions: those of any equation, then those of the modules.
std::vector<const mesh::BoundaryCondition*> boundary_conditions();

}  // namespace meander::simulation
