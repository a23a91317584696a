// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Local time steps of a simulation (time.stepping = "local"): chooses the step of the coarsest level and the
// ratios of the finer ones, and takes the step. A step of the simulation is one of the coarsest level.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "io/checkpoint_file.hpp"
#include "simulation/config/config.hpp"
#include "simulation/report/local_steps_report.hpp"
#include "simulation/scenario.hpp"
#include "simulation/step_field.hpp"
#include "solvers/local_step_solver.hpp"
#include "tasks/step.hpp"
#include "tasks/step_plan.hpp"

namespace meander::simulation {

template <int D>
class LocalStepping {
 public:
  // Sets the solver's step data for levels that begin a step at time t, within a step of the coarsest level
  // (Scenario::prepare_levels). Collective.
  using PrepareLevels = std::function<void(const LevelTimes& times, double t)>;
  // StepField::solve_within().
  using SolveLevels = std::function<void(double t, int first)>;

  // All outlive this. field: or null.
  LocalStepping(const Config& config, mesh::PatchMesh<D>& mesh, const solvers::Solver& solver,
                tasks::Step<D>& step, ThreadTeam& team, PrepareLevels prepare, StepField<D>* field,
                SolveLevels solve)
      : config_(config),
        mesh_(mesh),
        solver_(solver),
        step_(step),
        team_(team),
        prepare_(std::move(prepare)),
        field_(field),
        solve_(std::move(solve)) {
    keep_step_data();
    report_.has_enclaves = !solvers::has_staged_local_steps(solver) && !field &&
                           config.scenario->step_data() != Scenario::StepData::of_levels;
  }
  // After the equation, and not the scenario, has changed the solver's step data.
  void keep_step_data() {
    const auto data = solver_.step_bytes();
    fixed_data_.assign(data.begin(), data.end());
  }

  // After each change of the mesh. By level of the tree: leaves of all ranks, and widths of volumes.
  // Collective.
  void set_levels(std::span<const std::int64_t> leaves, std::span<const double> widths);

  // Plans the next step. Returns its longest stable length; the step may be shorter. `status`: of the present
  // state; its crossing times are those of each rank or of all. Throws AgreedInputError (one rank: InputError)
  // if updates need step data that do not follow the levels. Collective.
  double plan(const solvers::Status& status, double t);
  // Whether all levels take the same step by the plan.
  bool is_global() const;

  // Advances all levels to t_next. If there is a field, it acts on all but the last halves of the last steps, and leaves no halos.
  // Collective.
  solvers::Status advance(double t, double dt, double t_next);
  // The last steps in the last advance(), by level of the tree.
  std::span<const double> last_steps() const { return lengths_; }
  // Instead of advance(), after a global step.
  void count_global_step();

  // Counts that continue after a restart.
  void save(io::CheckpointState& state) const;
  void resume(const io::CheckpointState& state);

  // True once, after the first step in which levels took steps of their own: the partition does not know yet
  // how many.
  bool wants_partition() { return std::exchange(wants_partition_, false); }

  // Updates of leaves in the last step.
  std::int64_t leaf_updates() const { return leaf_updates_; }
  const LocalStepsReport& report() const { return report_; }

 private:
  // The longest step of a level, and that with a tolerated growth of rates since the plan.
  double limit(std::size_t level, double crossing, double t, double growth) const;
  void begin(const tasks::LevelClock& clock);
  // Lets the field act on levels of the clock from `level` on, until it has for half of the present step of that one.
  void act(const tasks::LevelClock& clock, std::size_t level, bool starts);
  // Steps of a level so far.
  std::int64_t steps_of(std::size_t level) const;
  // Counts the steps of each level in the last step of the coarsest one.
  void count(std::span<const std::int64_t> steps);

  const Config& config_;
  mesh::PatchMesh<D>& mesh_;
  const solvers::Solver& solver_;
  tasks::Step<D>& step_;
  ThreadTeam& team_;
  PrepareLevels prepare_;
  StepField<D>* field_;
  SolveLevels solve_;
  std::vector<double> lengths_;  // of the steps under way, by level of the tree; with a field only
  // How much longer it is to act on what finer halos read of this level, which is linear in time between the state with half of the
  // action of the step and that after the fluxes.
  std::vector<double> missing_;
  std::vector<std::byte> fixed_data_;  // step data that the equation itself has given, for all steps
  // Of the levels with leaves, from the coarsest.
  std::vector<std::int64_t> leaves_;
  std::vector<double> widths_, limits_;
  // The shortest limits of a solver that gives limits by patch (solvers/local_step_solver.hpp); else empty.
  std::vector<double> limits_of_patches_;
  tasks::StepPlan plan_;
  std::int64_t leaf_updates_ = 0;
  bool took_local_step_ = false, wants_partition_ = false;
  LocalStepsReport report_;
};

}  // namespace meander::simulation
