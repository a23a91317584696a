// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The Euler equations as a module: keys, solver, scenarios.

#include "physics/euler/parameters.hpp"
#include "simulation/module.hpp"
#include "solvers/scheme_words.hpp"

namespace meander::euler {

class EulerEquation final : public simulation::Equation {
 public:
  void describe(io::KeyTable& keys, int dim, double& cfl) override;
  void set_up(const io::KeyTable& keys, const std::vector<double>& lower,
              const std::vector<double>& upper) override;
  std::unique_ptr<solvers::Solver> make_solver(int dim) const override;
  simulation::FormulaFields formula_fields(int dim) const override;
  solvers::PointTerms terms(int dim) const override;

  Parameters parameters;
  solvers::SchemeWords scheme;
};

// The parameters in a setup of this equation.
const Parameters& parameters_of(const simulation::ProblemSetup& setup);

const simulation::Module& module();

std::vector<simulation::ScenarioEntry> scenario_list();  // scenarios/list.cpp

}  // namespace meander::euler
