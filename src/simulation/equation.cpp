// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/equation.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "simulation/equations/entries.hpp"

namespace meander::simulation {

const std::vector<EquationEntry>& equations() {
  static const std::vector<EquationEntry> table = {euler_equation(), ccz4_equation()};
  return table;
}

const EquationEntry* find_equation(const std::string& name) {
  const auto found = std::find_if(equations().begin(), equations().end(),
                                  [&](const auto& entry) { return entry.name == name; });
  return found == equations().end() ? nullptr : &*found;
}

const EquationEntry& equation_of(const EquationParameters& parameters) {
  const EquationEntry* entry = find_equation(parameters.equation);
  MEANDER_ASSERT(entry != nullptr);
  return *entry;
}

std::unique_ptr<solvers::Solver> make_solver(int dim, const EquationParameters& parameters) {
  return equation_of(parameters).make(dim, parameters);
}

}  // namespace meander::simulation
