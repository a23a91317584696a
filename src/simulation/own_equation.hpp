// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Equations and scenarios from outside the library: registered at the start of main(), they are chosen in the
// input file like any other. apps/tutorial-advection is a complete example.

#include <any>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "simulation/equation.hpp"
#include "solvers/pde_solver.hpp"

namespace meander::simulation {

// What [solver] says of an equation Law: kept in EquationParameters::own.
template <template <int> class Law>
struct OwnChoices {
  std::string scheme = "rusanov", limiter = "mc";
  typename Law<3>::Parameters parameters = {};
};

// The parameters of the registered equation Law that the run solves.
template <template <int> class Law>
const typename Law<3>::Parameters& own_parameters(const EquationParameters& parameters) {
  return std::any_cast<const OwnChoices<Law>&>(parameters.own).parameters;
}

namespace detail {

template <template <int> class Law>
class OwnEntry {
 public:
  using Parameters = typename Law<3>::Parameters;
  using Describe = void (*)(io::Fields& fields, Parameters& parameters, int dim);

  static EquationEntry entry(std::string name, std::string meaning, std::vector<std::string> unknowns,
                             Describe describe) {
    own_ = {name, std::move(unknowns), describe};
    EquationEntry entry{};
    entry.name = std::move(name);
    entry.meaning = std::move(meaning);
    entry.dims = {2, 3};
    entry.describe = describe_solver;
    entry.set_up = [](const SolverNames&, EquationParameters&) {};
    entry.make = make;
    entry.plot_fields = own_.unknowns;
    entry.plot_fields.emplace_back("level");
    entry.measure = [](const auto&...) { return std::vector<Measure>{}; };
    entry.terms = terms;
    return entry;
  }

 private:
  struct Own {
    std::string name;
    std::vector<std::string> unknowns;
    Describe describe = nullptr;
  };

  static void describe_solver(io::Fields& fields, SolverNames& names, EquationParameters& parameters,
                              double& cfl) {
    auto& own = parameters.own.emplace<OwnChoices<Law>>();
    if constexpr (solvers::PdeSolver<Law<3>>::has_muscl) {
      fields.choice("scheme", own.scheme, {"rusanov", "muscl"},
                    "First-order finite volumes with the Rusanov flux, or MUSCL-Hancock (second order).");
      fields.choice("limiter", own.limiter, {"minmod", "mc"},
                    "Slope limiter of muscl: minmod, or monotonised central.");
    }
    fields.number("cfl", cfl, "", "Time step as a fraction of the largest that the wave speeds allow.",
                  {.min = 0, .max = 1, .min_open = true});
    const std::size_t first = fields.all().size();
    if (own_.describe != nullptr) own_.describe(fields, own.parameters, names.dim);
    for (std::size_t i = first; i < fields.all().size(); ++i) fields.all()[i].fixed = true;
  }

  static std::unique_ptr<solvers::Solver> make(int dim, const EquationParameters& parameters) {
    // Asked for without an input file, it has its defaults.
    const auto* given = std::any_cast<OwnChoices<Law>>(&parameters.own);
    const OwnChoices<Law> own = given == nullptr ? OwnChoices<Law>{} : *given;
    if (dim == 2) return make<2>(own);
    return make<3>(own);
  }
  template <int D>
  static std::unique_ptr<solvers::Solver> make(const OwnChoices<Law>& own) {
    using solvers::Scheme;
    Law<D> law;
    law.parameters = own.parameters;
    const Scheme scheme = own.scheme == "rusanov"   ? Scheme::rusanov
                          : own.limiter == "minmod" ? Scheme::muscl_minmod
                                                    : Scheme::muscl_mc;
    return std::make_unique<solvers::PdeSolver<Law<D>>>(own_.name, law, scheme, own_.unknowns);
  }

  static solvers::PointTerms terms(int dim, const EquationParameters& parameters) {
    const auto& own = own_parameters<Law>(parameters);
    if (dim == 2) return terms<2>(own);
    return terms<3>(own);
  }
  template <int D>
  static solvers::PointTerms terms(const Parameters& parameters) {
    Law<D> law;
    law.parameters = parameters;
    return solvers::point_terms(law, own_.unknowns);
  }

  static inline Own own_;
};

}  // namespace detail

// Adds an equation to those that solver.equation may name. Law: a Pde (solvers/pde.hpp) for 2 and 3
// dimensions, default-constructible, with a type Parameters and a member `parameters`, as ConservationLaw
// (solvers/conservation_law.hpp) has them. unknowns: their names, Law<3>::unknowns of them. describe, or
// null: declares the keys that the parameters add to [solver]; a restart may not change them. Before
// anything reads an input file, from one thread. Throws std::invalid_argument if the name is taken.
template <template <int> class Law>
void register_equation(std::string name, std::string meaning, std::vector<std::string> unknowns,
                       void (*describe)(io::Fields& fields, typename Law<3>::Parameters& parameters,
                                        int dim) = nullptr) {
  static_assert(int{Law<2>::unknowns} == int{Law<3>::unknowns});
  add_equation(
      detail::OwnEntry<Law>::entry(std::move(name), std::move(meaning), std::move(unknowns), describe));
}

// Adds a scenario of a registered equation to those that scenario.name may name; otherwise as above.
template <class OwnScenario>
void register_scenario(std::string name, std::string meaning, std::string equation,
                       std::vector<int> dims = {2, 3}) {
  add_scenario({std::move(name), std::move(meaning), std::move(dims),
                [] { return std::make_unique<OwnScenario>(); }, std::move(equation)});
}

}  // namespace meander::simulation
