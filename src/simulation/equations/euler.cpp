// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/euler/euler.hpp"
#include "simulation/equations/entries.hpp"
#include "solvers/euler/terms.hpp"

namespace meander::simulation {
namespace {

void describe(io::Fields& fields, SolverNames& names, EquationParameters& parameters, double& cfl) {
  fields.choice("scheme", names.euler_scheme, {"rusanov", "muscl"},
                "First-order finite volumes with the Rusanov flux, or MUSCL-Hancock (second order).");
  fields.choice("limiter", names.limiter, {"minmod", "mc"},
                "Slope limiter of muscl: minmod, or monotonised central.");
  fields
      .number("gamma", parameters.euler.gamma, "", "Ratio of specific heats.",
              {.min = 1, .max = 10, .min_open = true})
      .fixed = true;
  fields.number("cfl", cfl, "", "Time step as a fraction of the largest that the wave speeds allow.",
                {.min = 0, .max = 1, .min_open = true});
  fields.number("density-floor", parameters.euler.density_floor, "density",
                "A density below it is lifted to it, and counted in the history; 0: none.", io::at_least(0));
  fields.number("pressure-floor", parameters.euler.pressure_floor, "pressure",
                "A pressure below it is lifted to it, and counted in the history; 0: none.", io::at_least(0));
}

void set_up(const SolverNames& names, EquationParameters& parameters) {
  using namespace solvers::euler;
  parameters.euler.scheme = names.euler_scheme == "muscl" ? Scheme::muscl : Scheme::rusanov;
  parameters.euler.limiter = names.limiter == "minmod" ? Limiter::minmod : Limiter::mc;
}

std::unique_ptr<solvers::Solver> make(int dim, const EquationParameters& parameters) {
  return solvers::euler::make_solver(dim, parameters.euler);
}

std::vector<Measure> measure(const StateView&, const Diagnosed&) {
  return {};
}

solvers::PointTerms terms(int dim, const EquationParameters& parameters) {
  using namespace solvers;
  const std::vector<std::string> names = euler::make_solver(dim, parameters.euler)->traits().unknown_names;
  return dim == 2 ? point_terms(euler::Terms<2>(parameters.euler), names)
                  : point_terms(euler::Terms<3>(parameters.euler), names);
}

}  // namespace

EquationEntry euler_equation() {
  return {"euler",
          "Euler's, of an ideal gas",
          {2, 3},
          describe,
          set_up,
          make,
          {"density", "velocity", "pressure", "level"},
          measure,
          terms};
}

}  // namespace meander::simulation
