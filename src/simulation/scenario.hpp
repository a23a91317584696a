// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A scenario: initial and boundary data, what it adds to a step, and what it measures. Chosen by name.

#include <any>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "io/fields.hpp"
#include "mesh/communicator.hpp"
#include "solvers/ccz4/parameters.hpp"
#include "solvers/euler/parameters.hpp"
#include "solvers/solver.hpp"

namespace meander::simulation {

// All patches of this rank in curve order, with the team that may sweep them. Valid between steps only.
struct StateView {
  const mesh::Communicator& communicator;
  const solvers::PatchLayout& layout;
  std::span<const solvers::PatchTask> patches;
  std::span<const int> levels;
  double t = 0;
  ThreadTeam& team;
  std::span<const double> level_dx;  // by level: width of a volume, 0 where no rank has leaves of that level
  std::span<const std::array<double, 3>> punctures = {};  // where they are at time t
  // Halos across faces are full. Fills edges and corners, too, of the leaves with marked[leaf] != 0: halos
  // are derived data, the state does not change. Collective. Empty: all halos are whole already.
  std::function<void(std::span<const char>)> fill_whole_halos = {};
  std::span<const std::uint32_t> inexact_halos = {};  // of each leaf (inexact_halos.hpp); empty: none is
};

// [solver]: which equation, and the parameters of each; only those of the chosen one count.
struct EquationParameters {
  std::string equation = "euler";
  solvers::euler::Parameters euler = {};
  solvers::ccz4::Parameters ccz4 = {};
  std::any own = {};  // of an equation that was registered: OwnChoices (own_equation.hpp)
};

// The box and the equation a scenario is set up in, fixed before any of its data is asked for.
struct Setting : EquationParameters {
  int dim = 3;
  std::vector<double> lower, upper;  // the domain's corners, `dim` numbers each
};

// What the diagnostics of an equation look at.
struct Diagnosed {
  int min_level = 0, max_level = 0;  // of leaves, for what is told level by level
  double exclude_radius = 0;         // volumes whose centres lie so close to a puncture are left out
};

// A column of history.csv.
struct Measure {
  std::string name, unit;
  double value = 0;
};

class Scenario {
 public:
  virtual ~Scenario() = default;

  // Declares the parameters. Called once, before anything else.
  virtual void describe(io::Fields& fields) = 0;
  // Checks the parameters (fields.reject(key, why) where they make no sense) and keeps the setting.
  virtual void set_up(const io::Fields& fields, const Setting& setting) = 0;

  // Rejects parameters that volumes of these widths, of the coarsest and of every finer level that leaves may
  // have, have no room for.
  virtual void check_widths(const io::Fields& fields, const std::vector<double>& widths) const;

  virtual double default_start() const { return 0; }
  virtual double default_end() const { return 1; }

  // The mean of the unknowns over the volume of width dx about `centre` at the start time, into q[0 .. N-1].
  virtual void initial(const double* centre, double dx, double* q) const = 0;
  // The unknowns beyond a boundary of kind "scenario" at point x and time t. Default: initial() there.
  virtual void boundary(const double* x, double dx, double t, double* q) const;

  // Called before every step, and before the first plot, with the state at time view.t: may fill
  // solver.step_data(). The result must not depend on the number of threads or on the partition. Collective.
  virtual void prepare_step(const StateView& view, solvers::Solver& solver);

  // Where punctures are at the start time: they are followed from there. Default: none.
  virtual std::vector<std::array<double, 3>> punctures() const;

  // Extra columns of history.csv at view.t; the same names in the same order every time, the same bits on all
  // ranks. Collective.
  virtual std::vector<Measure> measure(const StateView& view) const;
};

// One line of `meander scenarios`.
struct ScenarioEntry {
  std::string name, meaning;
  std::vector<int> dims;  // dimensions it exists in
  std::function<std::unique_ptr<Scenario>()> make;
  std::string equation = "euler";
};
// All scenarios, in the order they are listed to users. Adding one is adding a line here.
const std::vector<ScenarioEntry>& scenarios();
// At the end of the list; see register_scenario() (own_equation.hpp). Throws std::invalid_argument.
void add_scenario(ScenarioEntry entry);

}  // namespace meander::simulation
