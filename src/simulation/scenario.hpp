// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A scenario: initial and boundary data, step data and extra columns of the history. Selected by
// scenario.name.

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/formula.hpp"
#include "io/key_table.hpp"
#include "simulation/equation.hpp"
#include "simulation/state_view.hpp"
#include "solvers/solver.hpp"

namespace meander::mesh {
struct BoundaryCondition;
}
namespace meander::tasks {
class LeafObserver;
}

namespace meander::simulation {

// Equation and domain of a scenario, known before its data are evaluated.
struct ProblemSetup {
  std::shared_ptr<const Equation> equation;
  int dim = 3;
  std::vector<double> lower, upper;  // the domain's corners, `dim` numbers each
  // By face, 2 * axis + side; empty: unknown.
  std::vector<const mesh::BoundaryCondition*> boundary = {};
  // For formulas of tables after [scenario].
  io::FormulaDefinitions formula_definitions = {};
};

class Scenario {
 public:
  virtual ~Scenario() = default;

  // Declares the parameters. Called once, before anything else.
  virtual void describe(io::KeyTable& keys) = 0;
  // Rejects invalid parameters (keys.reject(key, why)) and keeps the setup.
  virtual void set_up(const io::KeyTable& keys, const ProblemSetup& setup) = 0;

  // Rejects parameters that are invalid for volumes of these widths, one for each level that leaves may have.
  virtual void check_widths(const io::KeyTable& /*keys*/, const std::vector<double>& /*widths*/) const {}

  // Lines about valid values, after set_up().
  virtual std::vector<std::string> warnings(const io::KeyTable&) const { return {}; }
  virtual double default_start() const { return 0; }
  virtual double default_end() const { return 1; }
  // The key of [scenario] that sets default_end() and that a restart may change; null: there is none.
  virtual const char* end_key() const { return nullptr; }

  // The start of the run, which time.start sets. Called after set_up().
  virtual void start_at(double /*t*/) {}
  // The run must end before it.
  virtual double latest_end() const { return std::numeric_limits<double>::infinity(); }

  // Names for formulas of other tables. Valid after set_up().
  virtual io::FormulaDefinitions formula_definitions() const { return {}; }

  // Gauss points along each axis for means of such formulas over volumes.
  virtual int formula_samples() const { return 2; }

  // Reads what initial() requires from outside the input. Called by runs and checks, not by a restart, before anything is
  // written, and again before initial data are set; release_initial() follows these. Throws InputError (several ranks:
  // parallel::AgreedInputError). Collective.
  virtual void prepare_initial(const parallel::Communicator& /*communicator*/) {}
  virtual void release_initial() {}

  // The mean of the unknowns over the volume of width dx about `centre` at the start time, into q[0 .. N-1].
  // Unknowns that Solver::complete() sets may be left out here and in boundary(). Throws InputError for data that are
  // not admissible.
  virtual void initial(const double* centre, double dx, double* q) const = 0;
  // Whether initial() can be asked for volumes beyond the domain, and before prepare_initial(): for the check of symmetries.
  virtual bool is_known_everywhere() const { return true; }
  // Whether initial() and boundary() set every unknown, so that Solver::complete() is not called.
  virtual bool gives_all_unknowns() const { return false; }
  // The unknowns beyond a boundary of kind "scenario" at point x and time t. Throws as initial(), which is the default.
  virtual void boundary(const double* x, double dx, double /*t*/, double* q) const { initial(x, dx, q); }

  // Called before every step, and before the first plot, with the state at time view.t; reads
  // interiors alone. May fill solver.step_data(). The result must not depend on the number of threads or the partition. Collective.
  virtual void prepare_step(const StateView& /*view*/, solvers::Solver&) {}

  // With local time steps: called before each step of the levels times.first and finer, at their time view.t,
  // instead of prepare_step(), which is called only before steps of the coarsest level. Patches of coarser
  // levels stand at the end of their step, before refluxing; interiors alone may be read. Collective.
  virtual void prepare_levels(const StateView& /*view*/, const LevelTimes& /*times*/, solvers::Solver&) {}

  // What fills step data: nothing; prepare_step() alone, so that local time steps do not exist; or both.
  enum class StepData { none, of_steps, of_levels };
  virtual StepData step_data() const { return StepData::none; }

  // Sees every leaf after each change (tasks/leaf_observer.hpp), so that prepare_step() and prepare_levels() need no
  // sweep over the leaves. Not called on a device; without a call they must sweep. Null: none.
  virtual tasks::LeafObserver* observer() { return nullptr; }

  // Points that diagnostics of the equation follow, at the start time. Default: none.
  virtual std::vector<Point<3>> tracked_points() const { return {}; }

  // Extra columns of history.csv at view.t, with the same names and order in every call, bitwise identical on
  // all ranks. Reads interiors only. Collective.
  virtual std::vector<Measure> measure(const StateView& /*view*/) const { return {}; }
};

// One line of `meander scenarios`.
struct ScenarioEntry {
  std::string name, meaning;
  std::vector<int> dims;  // dimensions it exists in
  std::function<std::unique_ptr<Scenario>()> make;
  std::string equation = {};  // the module's name; empty: of any equation
  // Keys of [scenario] that exist no longer, each with the message that names what replaces it.
  std::vector<std::pair<std::string, std::string>> former_keys = {};
};
// The scenarios for any equation (scenarios/list.cpp).
std::vector<ScenarioEntry> general_scenarios();
// All scenarios: those for any equation, then module after module (module.hpp).
const std::vector<ScenarioEntry>& scenarios();
// Appends a scenario. Throws std::invalid_argument if the name is taken.
void add_scenario(ScenarioEntry entry);

}  // namespace meander::simulation
