// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/equation.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/assert.hpp"
#include "simulation/equations/entries.hpp"

namespace meander::simulation {

namespace {

std::vector<EquationEntry>& table_of_equations() {
  static std::vector<EquationEntry> table = {euler_equation(), ccz4_equation()};
  return table;
}

}  // namespace

const std::vector<EquationEntry>& equations() {
  return table_of_equations();
}

void add_equation(EquationEntry entry) {
  if (find_equation(entry.name) != nullptr) throw std::invalid_argument("there is an equation " + entry.name);
  table_of_equations().push_back(std::move(entry));
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
