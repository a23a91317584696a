// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A table of the input that belongs to one equation, beside its keys in [solver]. It is read after [solver] and
// [scenario].

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/key_table.hpp"
#include "simulation/equation.hpp"
#include "simulation/scenario.hpp"

namespace meander::simulation {

struct Config;

class EquationTable {
 public:
  virtual ~EquationTable() = default;

  // Declares the keys. `scenario`: of the run, for defaults; empty: unknown, in the reference of the input. Called once,
  // before anything else.
  virtual void describe(io::KeyTable& keys, const std::string& scenario) = 0;
  // Rejects invalid values, and gives the others to the equation, which is of the table's module. Solvers that are made
  // later have them; names and limits of solvers must not depend on them.
  virtual void set_up(const io::KeyTable& keys, const ProblemSetup& setup, Equation& equation) = 0;
  // Rejects values that are invalid for volumes of these widths, one for each level that leaves may have.
  virtual void check_widths(const io::KeyTable& /*keys*/, const std::vector<double>& /*widths*/) const {}
  // Rejects values that do not fit the rest of the input, which is complete.
  virtual void check_run(const io::KeyTable& /*keys*/, const Config& /*config*/) const {}
};

struct EquationTableEntry {
  std::string name, meaning;  // one line
  std::string intro = {};     // paragraphs of docs/input.md before the keys
  std::function<std::unique_ptr<EquationTable>()> make;
};

}  // namespace meander::simulation
