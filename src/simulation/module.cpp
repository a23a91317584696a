// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/module.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>

namespace meander::simulation {
namespace {

struct Registry {
  std::vector<const Module*> modules = built_in_modules();
  std::deque<Module> registered;
  std::vector<ScenarioEntry> scenarios = general_scenarios();

  Registry() {
    for (const Module* module : modules) add_scenarios(*module);
  }
  void add_scenarios(const Module& module) {
    for (ScenarioEntry entry : module.scenarios) {
      entry.equation = module.name;
      scenarios.push_back(std::move(entry));
    }
  }
};

Registry& registry() {
  static Registry all;
  return all;
}

}  // namespace

const std::vector<const Module*>& modules() {
  return registry().modules;
}

void register_module(Module module) {
  if (find_module(module.name) != nullptr) throw std::invalid_argument("there is an equation " + module.name);
  Registry& all = registry();
  all.registered.push_back(std::move(module));
  all.modules.push_back(&all.registered.back());
  all.add_scenarios(all.registered.back());
}

const Module* find_module(const std::string& name) {
  const auto found = std::find_if(modules().begin(), modules().end(),
                                  [&](const Module* module) { return module->name == name; });
  return found == modules().end() ? nullptr : *found;
}

const std::vector<ScenarioEntry>& scenarios() {
  return registry().scenarios;
}

void add_scenario(ScenarioEntry entry) {
  for (const ScenarioEntry& other : scenarios()) {
    if (other.name == entry.name) throw std::invalid_argument("there is a scenario " + entry.name);
  }
  registry().scenarios.push_back(std::move(entry));
}

std::vector<const mesh::BoundaryCondition*> boundary_conditions() {
  std::vector<const mesh::BoundaryCondition*> all = mesh::general_boundary_conditions();
  for (const Module* module : modules())
    all.insert(all.end(), module->boundary_conditions.begin(), module->boundary_conditions.end());
  return all;
}

std::vector<CriterionEntry> refinement_criteria() {
  std::vector<CriterionEntry> all = general_criteria();
  for (const Module* module : modules())
    all.insert(all.end(), module->criteria.begin(), module->criteria.end());
  return all;
}

}  // namespace meander::simulation
