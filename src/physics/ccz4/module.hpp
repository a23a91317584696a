// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// First-order CCZ4 as a module: keys, solver, scenarios, diagnostics, refinement at punctures, and
// Sommerfeld's boundary condition.

#include "physics/ccz4/parameters.hpp"
#include "simulation/module.hpp"

namespace meander::ccz4 {

class Ccz4Equation final : public simulation::Equation {
 public:
  void describe(io::KeyTable& keys, int dim, double& cfl) override;
  void set_up(const io::KeyTable& keys, const std::vector<double>& lower,
              const std::vector<double>& upper) override;
  std::unique_ptr<solvers::Solver> make_solver(int dim) const override;
  void begin_step(double t, solvers::Solver& solver) const override;
  simulation::FormulaFields formula_fields(int dim) const override;
  solvers::PointTerms terms(int dim) const override;
  std::vector<std::string> warnings(const io::KeyTable& keys, bool adaptive) const override;

  Parameters parameters;

 private:
  void describe_system(io::KeyTable& keys);

  std::string scheme_ = "fourth-order", slicing_ = "1+log", damping_ = "lapse";
  double plain_until_ = 0;
  int evolves_shift_ = 1, damped_theta_ = 1;  // s, c
};

// The parameters in a setup of this equation.
const Parameters& parameters_of(const simulation::ProblemSetup& setup);

const simulation::Module& module();

std::vector<simulation::ScenarioEntry> scenario_list();  // scenarios/list.cpp

// kind = "punctures": refinement around moving punctures.
simulation::CriterionEntry puncture_criterion();

// Norms of the constraints in history.csv. Columns, for each constraint its root mean square over the volume (_l2) and its largest magnitude (_linf):
// - "hamiltonian_l2", "hamiltonian_linf", "momentum_..." (all components), "connection_...",
// "ordering_lapse_...", "ordering_shift_...", "ordering_metric_...", "ordering_phi_..." (the largest
// component of each). They exclude volumes whose centres lie within exclude-radius of a tracked point.
// - "lapse_min", over all volumes.
// - if leaves may have several levels, the constraints of each level, "hamiltonian_l2_level_2"; 0 for a level
// without volumes.
// Bitwise identical for any number of threads and ranks.
simulation::DiagnosticEntry constraint_norms_entry();

}  // namespace meander::ccz4
