// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The Euler equations as a module: keys, solver, scenarios.

#include <memory>

#include "physics/euler/fields/self_gravity.hpp"
#include "physics/euler/gravity.hpp"
#include "physics/euler/parameters.hpp"
#include "simulation/module.hpp"
#include "solvers/scheme_words.hpp"

namespace meander::euler {

class ExternalAcceleration;

class EulerEquation final : public simulation::Equation {
 public:
  void describe(io::KeyTable& keys, int dim, double& cfl) override;
  void set_up(const io::KeyTable& keys, const std::vector<double>& lower,
              const std::vector<double>& upper) override;
  std::unique_ptr<solvers::Solver> make_solver(int dim) const override;
  simulation::FormulaFields formula_fields(int dim) const override;
  solvers::PointTerms terms(int dim) const override;
  double set_fields(const solvers::PatchTask& patch, const solvers::PatchLayout& layout) const override;
  void take_largest_field(double largest, solvers::Solver& solver) const override;

  std::shared_ptr<simulation::StepField<2>> make_field_2d() const override { return make_field<2>(); }
  std::shared_ptr<simulation::StepField<3>> make_field_3d() const override { return make_field<3>(); }

  Parameters parameters;
  solvers::SchemeWords scheme;
  // Of [gravity]. The scenario fills the radial part of the step data.
  bool radial_gravity = false;
  FixedGravity fixed_gravity;
  std::shared_ptr<const ExternalAcceleration> acceleration;  // or null
  SelfGravityParameters self_gravity;

 private:
  template <int D>
  std::shared_ptr<simulation::StepField<D>> make_field() const;
};

// The equation in a setup of it, and its parameters.
const EulerEquation& equation_of(const simulation::ProblemSetup& setup);
const Parameters& parameters_of(const simulation::ProblemSetup& setup);

const simulation::Module& module();

std::vector<simulation::ScenarioEntry> scenario_list();  // scenarios/list.cpp

}  // namespace meander::euler
