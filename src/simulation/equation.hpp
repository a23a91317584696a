// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The equations a run can solve, chosen by solver.equation: the keys each adds to [solver], its solver, and
// what a run of it writes.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/fields.hpp"
#include "simulation/scenario.hpp"
#include "solvers/point_terms.hpp"
#include "solvers/solver.hpp"

namespace meander::simulation {

// Choices of [solver] by name, and flags that are numbers in the input file; set_up() makes parameters of
// them.
struct SolverNames {
  std::string equation = "euler";
  std::string euler_scheme = "rusanov", limiter = "mc";
  std::string ccz4_scheme = "fourth-order", slicing = "1+log";
  int evolves_shift = 1, damped_theta = 1;  // s, c
  int dim = 3;  // of the domain, set before the keys are described: some exist along its axes only
};

struct EquationEntry {
  std::string name, meaning;
  std::vector<int> dims;  // dimensions it exists in
  // The keys after "equation": what the input may say, into `names`, `parameters` and the Courant number.
  void (*describe)(io::Fields& fields, SolverNames& names, EquationParameters& parameters, double& cfl);
  void (*set_up)(const SolverNames& names, EquationParameters& parameters);
  std::unique_ptr<solvers::Solver> (*make)(int dim, const EquationParameters& parameters);
  std::vector<std::string> plot_fields;  // what plot files hold if the input does not say
  // Columns of history.csv, as Scenario::measure(). Collective.
  std::vector<Measure> (*measure)(const StateView& view, const Diagnosed& diagnosed);
  // Its terms at one point, for `meander terms`.
  solvers::PointTerms (*terms)(int dim, const EquationParameters& parameters);
  std::string fields_meaning =
      {};  // a paragraph for docs/input.md on plot fields whose names do not say it all
  // Warnings about valid values of the keys in `fields`; `adaptive`: leaves may differ in level. Null: none.
  std::vector<std::string> (*warnings)(const io::Fields& fields, const EquationParameters& parameters,
                                       bool adaptive) = nullptr;
};

// All equations, the first being the default. Adding one is adding a line here.
const std::vector<EquationEntry>& equations();
// At the end of the list; see register_equation() (own_equation.hpp). Throws std::invalid_argument.
void add_equation(EquationEntry entry);
// The one of that name; null if there is none.
const EquationEntry* find_equation(const std::string& name);

// By parameters.equation, which exists.
const EquationEntry& equation_of(const EquationParameters& parameters);
std::unique_ptr<solvers::Solver> make_solver(int dim, const EquationParameters& parameters);

}  // namespace meander::simulation
