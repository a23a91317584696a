// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Registration of equations and scenarios outside the library. After registration at the start of main(), the
// input file selects them like those of the library. apps/tutorial-advection is a complete example.

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "simulation/equation.hpp"
#include "simulation/module.hpp"
#include "solvers/pde_kernels_cpu.hpp"
#include "solvers/pde_kernels_serial.hpp"
#include "solvers/pde_solver.hpp"

namespace meander::simulation {

// A registered equation Law with its parameters from [solver].
template <template <int> class Law>
class OwnEquation final : public Equation {
 public:
  using Parameters = typename Law<3>::Parameters;
  // Declares the keys of the parameters in [solver]; may be null.
  using Describe = void (*)(io::KeyTable& keys, Parameters& parameters, int dim);

  OwnEquation(std::string name, std::vector<std::string> unknowns, Describe keys)
      : name_(std::move(name)), unknowns_(std::move(unknowns)), describe_(keys) {}

  void describe(io::KeyTable& keys, int dim, double& cfl) override {
    describe_scheme(keys, scheme_, solvers::vocabulary<Law<3>>());
    keys.number("cfl", cfl, "", "Time step as a fraction of the largest that the wave speeds allow.",
                {.min = 0, .max = 1, .min_open = true});
    const std::size_t first = keys.all().size();
    if (describe_ != nullptr) describe_(keys, parameters, dim);
    for (std::size_t i = first; i < keys.all().size(); ++i) keys.all()[i].fixed = true;
  }
  void set_up(const io::KeyTable& keys, const std::vector<double>&, const std::vector<double>&) override {
    check_scheme(keys, scheme_);
  }

  std::unique_ptr<solvers::Solver> make_solver(int dim) const override {
    if (dim == 2) return solver<2>();
    return solver<3>();
  }
  solvers::PointTerms terms(int dim) const override {
    if (dim == 2) return solvers::point_terms(law<2>(), unknowns_);
    return solvers::point_terms(law<3>(), unknowns_);
  }

  Parameters parameters = {};

 private:
  template <int D>
  Law<D> law() const {
    Law<D> law;
    law.parameters = parameters;
    return law;
  }
  template <int D>
  std::unique_ptr<solvers::Solver> solver() const {
    return std::make_unique<solvers::PdeSolver<Law<D>>>(name_, law<D>(), solvers::choice_of<Law<D>>(scheme_),
                                                        unknowns_);
  }

  std::string name_;
  std::vector<std::string> unknowns_;
  Describe describe_;
  solvers::SchemeWords scheme_;
};

// The parameters of the registered equation Law that the run solves.
template <template <int> class Law>
const typename Law<3>::Parameters& own_parameters(const ProblemSetup& setup) {
  return dynamic_cast<const OwnEquation<Law>&>(*setup.equation).parameters;
}

// Registers an equation as a value of solver.equation.
// Law: a Pde (solvers/pde.hpp) for 2 and 3 dimensions, default-constructible, with a type Parameters and a
// member `parameters`, as in ConservationLaw (solvers/conservation_law.hpp).
// unknowns: Law<3>::unknowns names.
// describe, or null: declares the keys of the parameters in [solver]; a restart may not change them.
// Call before an input file is read, from one thread. Throws std::invalid_argument if the name is taken, or
// if the equation has more than solvers::most_unknowns unknowns.
template <template <int> class Law>
void register_equation(std::string name, std::string meaning, std::vector<std::string> unknowns,
                       typename OwnEquation<Law>::Describe describe = nullptr) {
  static_assert(int{Law<2>::unknowns} == int{Law<3>::unknowns});
  if constexpr (int{Law<3>::unknowns} > solvers::most_unknowns) {
    throw std::invalid_argument("equation " + name + " has " + std::to_string(Law<3>::unknowns) +
                                " unknowns, but at most " + std::to_string(solvers::most_unknowns) +
                                " are possible (solvers/solver.hpp)");
  } else {
    if (unknowns.size() != std::size_t{Law<3>::unknowns})
      throw std::invalid_argument("equation " + name + " needs a name for each of its unknowns");
    Module module;
    module.name = name;
    module.meaning = std::move(meaning);
    module.dims = {2, 3};
    module.plot_fields = unknowns;
    module.plot_fields.emplace_back("level");
    module.make = [=] { return std::make_unique<OwnEquation<Law>>(name, unknowns, describe); };
    register_module(std::move(module));
  }
}

// Registers a scenario of a registered equation as a value of scenario.name; otherwise as above.
template <class OwnScenario>
void register_scenario(std::string name, std::string meaning, std::string equation,
                       std::vector<int> dims = {2, 3}) {
  add_scenario({std::move(name), std::move(meaning), std::move(dims),
                [] { return std::make_unique<OwnScenario>(); }, std::move(equation)});
}

}  // namespace meander::simulation
