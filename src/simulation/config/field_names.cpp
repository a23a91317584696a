// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/config/field_names.hpp"

#include <algorithm>

namespace meander::simulation {

std::vector<std::string> scalar_names(const solvers::Solver& solver) {
  std::vector<std::string> names = solver.traits().unknown_names;
  for (const solvers::Derived& derived : solver.derived()) {
    if (std::find(names.begin(), names.end(), derived.name) == names.end()) names.push_back(derived.name);
  }
  return names;
}

std::vector<std::string> number_names(const solvers::Solver& solver) {
  std::vector<std::string> names = scalar_names(solver);
  for (const solvers::PatchQuantity& quantity : solver.patch_quantities()) names.push_back(quantity.name);
  for (const auto* more : {&solver.traits().carried_names, &solver.traits().beside_names})
    names.insert(names.end(), more->begin(), more->end());
  return names;
}

std::vector<std::string> vector_names(const solvers::Solver& solver) {
  const std::vector<std::string> scalars = number_names(solver);
  std::vector<std::string> vectors;
  for (const std::string& name : scalars) {
    if (name.size() < 3 || name.substr(name.size() - 2) != "_x") continue;
    const std::string stem = name.substr(0, name.size() - 2);
    const auto has = [&](const char* suffix) {
      return std::find(scalars.begin(), scalars.end(), stem + suffix) != scalars.end();
    };
    if (!has("") && has("_y") && (solver.traits().dim == 2 || has("_z"))) vectors.push_back(stem);
  }
  return vectors;
}

std::vector<std::string> plot_names(const solvers::Solver& solver) {
  std::vector<std::string> names = number_names(solver);
  for (std::string& name : vector_names(solver)) names.push_back(std::move(name));
  names.insert(names.end(), {"level", "curve_index"});
  return names;
}

}  // namespace meander::simulation
