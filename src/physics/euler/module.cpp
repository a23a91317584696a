// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/euler/module.hpp"

#include <algorithm>
#include <cmath>

#include "physics/euler/dual_energy_terms.hpp"
#include "physics/euler/scenarios/gas_state.hpp"
#include "physics/euler/solver.hpp"
#include "physics/euler/tables/external_acceleration.hpp"
#include "simulation/equation.hpp"

namespace meander::euler {

simulation::DiagnosticEntry energies_entry();    // diagnostics/energies.cpp
simulation::EquationTableEntry gravity_table();  // tables/gravity.cpp
simulation::CriterionEntry jeans_criterion();    // criteria/jeans.cpp

void EulerEquation::describe(io::KeyTable& keys, int, double& cfl) {
  simulation::describe_scheme(keys, scheme, vocabulary<Terms<3>>());
  keys.number("gamma", parameters.gamma, "", "Ratio of specific heats.",
              {.min = 1, .max = 10, .min_open = true})
      .fixed = true;
  keys.number(
      "cfl", cfl, "",
      "Courant number: time step in units of dx over the sum of the wave speeds |u| + c along the axes. "
      "Where these are equal, a wave crosses cfl / dimensions of a volume in a step: 0.27 with 0.8 in 3D.",
      {.min = 0, .max = 1, .min_open = true});
  keys.number("density-floor", parameters.density_floor, "density",
              "Floor of the density. The history counts the volumes that are raised to it, which get no "
              "kinetic energy by it; 0: none.",
              io::at_least(0));
  keys.number("pressure-floor", parameters.pressure_floor, "pressure",
              "Floor of the pressure. The history counts the volumes that are raised to it; 0: none.",
              io::at_least(0));
  keys.flag("dual-energy", parameters.dual_energy,
            "Adds the unknown `entropy_density`, from which the pressure of gas follows whose internal "
            "energy is at "
            "most a thousandth of its total energy. Such gas, much colder than its motion, then follows its "
            "adiabat; elsewhere total energy is conserved as without. Where such gas of very different "
            "densities mixes, its pressure is too high.")
      .fixed = true;
}

void EulerEquation::set_up(const io::KeyTable& keys, const std::vector<double>&, const std::vector<double>&) {
  simulation::check_scheme(keys, scheme);
}

std::unique_ptr<solvers::Solver> EulerEquation::make_solver(int dim) const {
  auto solver = euler::make_solver(dim, parameters, scheme);
  static_cast<FixedGravity&>(*static_cast<Gravity*>(solver->step_data())) = fixed_gravity;
  return solver;
}

double EulerEquation::set_fields(const solvers::PatchTask& patch, const solvers::PatchLayout& layout) const {
  return acceleration->set(patch, layout);
}

void EulerEquation::take_largest_field(double largest, solvers::Solver& solver) const {
  static_cast<Gravity*>(solver.step_data())->external.largest = largest;
}

template <int D>
std::shared_ptr<simulation::StepField<D>> EulerEquation::make_field() const {
  if (!self_gravity.is_on) return nullptr;
  typename SelfGravity<D>::Boundaries boundaries;
  for (std::size_t face = 0; face < 2 * D; ++face) boundaries[face] = self_gravity.boundaries[face];
  return std::make_shared<SelfGravity<D>>(self_gravity, boundaries);
}
template std::shared_ptr<simulation::StepField<2>> EulerEquation::make_field<2>() const;
template std::shared_ptr<simulation::StepField<3>> EulerEquation::make_field<3>() const;

// Primitive variables.
simulation::FormulaFields EulerEquation::formula_fields(int dim) const {
  simulation::FormulaFields result;
  result.constants = {{"gamma", parameters.gamma}};
  result.fields = {{"density", "density"}};
  for (int a = 0; a < dim; ++a) {
    const std::string axis(1, "xyz"[a]);
    result.fields.push_back({"velocity-" + axis, "velocity along " + axis, "0"});
  }
  result.fields.push_back({"pressure", "pressure"});
  const bool has_entropy = parameters.dual_energy;
  result.unknowns = [dim, gamma = parameters.gamma, has_entropy](const double* values, double* q) {
    GasState gas{values[0], {}, values[dim + 1]};
    std::copy_n(values + 1, dim, gas.velocity);
    set_unknowns(gas, dim, gamma, q);
    if (has_entropy) q[dim + 2] = gas.pressure;
  };
  // The entropy is that of the mean pressure, and so is the energy of cold gas: velocities that differ within a volume do not heat it,
  // nor does the entropy of thin gas beside dense gas, which is far larger.
  if (has_entropy)
    result.from_means = [dim, gamma = parameters.gamma](double* q) {
      double& energy = q[dim + 1];
      const double pressure = q[dim + 2], thermal = pressure / (gamma - 1);
      q[dim + 2] = pressure * std::pow(q[0], 1 - gamma);
      double kinetic = 0;
      for (int a = 0; a < dim; ++a) kinetic += 0.5 * q[1 + a] * q[1 + a] / q[0];
      const bool is_cold = thermal <= DualEnergyTerms<3>::eta1 * energy || 2 * thermal < energy - kinetic;
      if (is_cold) energy = kinetic + thermal;
    };
  result.refusal = [dim](const double* values) -> std::optional<simulation::FormulaFields::Refusal> {
    const std::size_t pressure = static_cast<std::size_t>(dim) + 1;
    if (!(values[0] > 0)) return {{0, "must be positive"}};
    if (!(values[pressure] > 0)) return {{pressure, "must be positive"}};
    return {};
  };
  return result;
}

solvers::PointTerms EulerEquation::terms(int dim) const {
  const std::vector<std::string> names = make_solver(dim)->traits().unknown_names;
  if (parameters.dual_energy)
    return dim == 2 ? solvers::point_terms(DualEnergyTerms<2>(parameters), names)
                    : solvers::point_terms(DualEnergyTerms<3>(parameters), names);
  return dim == 2 ? solvers::point_terms(Terms<2>(parameters), names)
                  : solvers::point_terms(Terms<3>(parameters), names);
}

const EulerEquation& equation_of(const simulation::ProblemSetup& setup) {
  return dynamic_cast<const EulerEquation&>(*setup.equation);
}

const Parameters& parameters_of(const simulation::ProblemSetup& setup) {
  return equation_of(setup).parameters;
}

namespace {

constexpr const char* fields_meaning = R"(
`internal_energy` is that of a mass, pressure / ((gamma - 1) density), `temperature` is pressure / density, and `entropy` pressure / density^gamma.
With `solver.dual-energy` there is the unknown `entropy_density`, too, and with `gravity.method = "poisson"` there are `potential`, `potential_rate`,
and the acceleration by it: `acceleration_x`, `acceleration_y`, `acceleration_z`, `acceleration`.
)";

}  // namespace

const simulation::Module& module() {
  static const simulation::Module euler = {
      .name = "euler",
      .meaning = "the Euler equations of an ideal gas",
      .dims = {2, 3},
      .make = [] { return std::make_unique<EulerEquation>(); },
      .tables = {gravity_table()},
      .scenarios = scenario_list(),
      .former_scenarios = {{"vortex", "is an input of formulas now: take inputs/vortex.toml"}},
      .diagnostics = {energies_entry()},
      .criteria = {jeans_criterion()},
      .plot_fields = {"density", "velocity", "pressure", "level"},
      .fields_meaning = fields_meaning,
      .remedy =
          "a smaller solver.cfl, solver.density-floor and solver.pressure-floor, "
          "or, for gas much colder than its motion, solver.dual-energy = true"};
  return euler;
}

}  // namespace meander::euler
