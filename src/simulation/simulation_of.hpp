// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The implementation of Simulation for dimension D, for starts and restarts.

#include <memory>
#include <utility>
#include <vector>

#include "mesh/patch_mesh.hpp"
#include "simulation/config/domain_of.hpp"
#include "simulation/control/local_stepping.hpp"
#include "simulation/control/patch_fields.hpp"
#include "simulation/control/stopping.hpp"
#include "simulation/diagnostic.hpp"
#include "simulation/diagnostics/inadmissible.hpp"
#include "simulation/diagnostics/inexact_halos.hpp"
#include "simulation/refinement.hpp"
#include "simulation/simulation.hpp"
#include "simulation/step_field.hpp"
#include "tasks/resident_device.hpp"
#include "tasks/step.hpp"

namespace meander::simulation {

// Names of counters in a checkpoint.
inline constexpr const char* updates_counter = "volume-updates";
inline constexpr const char* first_order_counter = "first-order-volumes";
inline constexpr const char* floored_counter = "floored-volumes";
inline constexpr const char* strayed_counter = "strayed-volumes";

template <int D>
class SimulationOf final : public Simulation, private StateSource {
 public:
  // The state is undefined until set_up() or resume(). Collective.
  SimulationOf(const Config& config, int threads, mesh::DistributedTree<D> tree);

  // Sets initial data on the initial mesh. Collective.
  void set_up();
  // Reads the state of a checkpoint; the tree must be that of its leaves. Collective.
  void resume(io::CheckpointReader& checkpoint);

  const solvers::Solver& solver() const override { return *solver_; }
  const parallel::Communicator& communicator() const override { return mesh_.communicator(); }

  void advance(double limit) override;

  StateView view(const char* reason) override { return state(reason); }
  StateView interiors(const char* reason) override { return state_of_interiors(reason); }
  std::vector<Measure> measures() override;
  std::vector<io::RowFile> row_files() const override;
  DiagnosticRows rows() override;
  std::vector<Vec<int, 3>> leaf_indices() const override;

  std::vector<double> totals() const override;
  TreatedVolumes treated_volumes() const override;
  mesh::PartitionFacts partition() const override { return mesh_.partition_facts(); }
  mesh::MeshBytes bytes() const override;
  RunTimes times() const override;
  std::optional<LocalStepsReport> local_steps() const override {
    return local_ ? std::optional(local_->report()) : std::nullopt;
  }
  std::optional<OffloadReport> offload() const override;
  std::optional<ResidentReport> resident() const override;
  std::optional<mesh::DeviceMemory> device_memory() const override;

  void save(io::CheckpointMesh& mesh, io::CheckpointState& state) const override;

 private:
  // Of the present state, if the last step has left any unfilled. Collective.
  void complete_halos() const {
    if (std::exchange(halos_are_stale_, false)) return mesh_.fill_halos(t_, team_);
    mesh_.complete_halos(team_);
  }
  // `reason`, a literal: why patches are brought home.
  StateView state(const char* reason) const {
    complete_halos();
    return state_of_interiors(reason);
  }
  // What a diagnostic reads.
  StateView view_for(const Diagnostic& diagnostic) const {
    return diagnostic.reads_halos() ? state(diagnostic.name()) : state_of_interiors(diagnostic.name());
  }
  // state() for readers of interiors: the last step may have left halos unfilled.
  StateView state_of_interiors(const char* reason) const {
    return {communicator(),
            mesh_.layout(),
            {mesh_.patches(), mesh_.residence().is_on_device() ? this : nullptr, reason},
            mesh_.levels(),
            mesh_.numbers(),
            t_,
            team_,
            level_dx_,
            tracked_points_,
            this,
            &mirrors_,
            field_.get()};
  }
  void bring_home(const char* reason) const override { mesh_.residence().bring_home(reason); }
  void fill_whole_halos(std::span<const char> marked) const override {
    mesh_.fill_whole_halos(marked, t_, team_);
  }
  bool sum_shells(const solvers::ShellBatch& batch, std::span<std::uint64_t> sums) const override {
    mesh::DevicePatches<D>* const device = mesh_.residence().current();
    if (device != nullptr) device->readings().sum_shells(batch, sums);
    return device != nullptr;
  }
  std::optional<std::vector<double>> sum_leaves() const override {
    mesh::DevicePatches<D>* const device = mesh_.residence().current();
    return device != nullptr ? std::optional(device->readings().sums()) : std::nullopt;
  }
  std::optional<std::vector<double>> measure_leaves(const solvers::LeafMeasure& measure) const override {
    mesh::DevicePatches<D>* const device = mesh_.residence().current();
    if (device == nullptr || !solver_->measures_on_device(std::max(measure.quantity, measure.divisor)))
      return {};
    return device->readings().measure(measure);
  }
  bool gather_points(std::span<const solvers::PointInPatch> points, const solvers::PointQuery& query,
                     std::span<double> samples) const override {
    mesh::DevicePatches<D>* const device = mesh_.residence().current();
    if (device != nullptr) device->readings().gather(points, query, samples);
    return device != nullptr;
  }
  std::uint32_t inexact_halos(std::size_t leaf) const override {
    return simulation::inexact_halos(mesh_, mirrors_, leaf);
  }
  bool uses_devices() const override { return config_.offload.patches_on_device(); }

  void set_initial_data();
  // The fields of new leaves, if the solver has any. Collective.
  void set_fields();
  // States beyond the domain by functions. Throws InputError or, after a step, StateFailure for inadmissible ones.
  mesh::GivenBoundary states_beyond();
  void check_states_beyond() const;
  // After the initial adaptation. Collective.
  void warn_of_unrefined_jumps();
  bool adapt();
  void regrid();
  // Moves leaves to other ranks according to the steps of their levels.
  void partition_by_steps();
  void count_leaves();
  void count_status();
  void check_state() const;  // throws StateFailure on all ranks
  // The longest step that scheme and input allow. Collective.
  double stable_dt();
  solvers::Status take_step(double dt, double t_next);
  // Calls find(field) if the equation has a field, to make it that of the present state. Collective.
  template <class Find>
  void find_field(const Find& find);
  // Makes it that of a mesh whose leaves have changed, or only moved to other ranks. Collective.
  void follow_mesh(bool changed);
  solvers::Status take_step_with_field(double dt, double t_next);
  solvers::Status take_local_step_with_field(double dt, double t_next);
  // The status of the state after a change of all leaves, with the counts of `step`. Collective.
  solvers::Status inspect_after(const solvers::Status& step, const tasks::LeafChange& change);
  // Step data for the first step, the next one, and within a local step.
  void prepare_first_step();
  void prepare_step();
  void prepare_levels(const LevelTimes& times, double t);
  // Throws InputError on all ranks if the mesh does not fit into the memory of a device. Collective.
  void check_device_memory() const;
  // Runs `change`, after which the mesh needs more memory than before. Throws Failure if there is not enough.
  template <class Change>
  void in_memory(const Change& change) const;
  mesh::DeviceCounts device_counts() const;
  double next_dt(double limit, double stable) const;
  void update_tracked_points();

  BoundaryWatch boundary_watch_;
  mutable ThreadTeam team_;
  std::unique_ptr<solvers::Solver> solver_;
  Mirrors mirrors_;
  std::unique_ptr<offload::Engine> engine_;          // or null; patches may lie in its memory
  std::unique_ptr<tasks::ResidentDevice> resident_;  // or null; patches may live there
  mutable mesh::PatchMesh<D> mesh_;                  // mutable for its halos, which are derived data
  PatchFields<D> fields_;
  std::shared_ptr<StepField<D>> field_;  // or null
  std::uint64_t field_revision_ = 0;     // of the mesh that it was found on
  mutable bool halos_are_stale_ = false;
  tasks::LeafObservers observers_;
  tasks::Step<D> stepper_;
  std::unique_ptr<LocalStepping<D>> local_;  // or null: global steps
  Refinement<D> refinement_;
  std::vector<std::unique_ptr<Diagnostic>> diagnostics_;
  std::vector<Point<3>> tracked_points_;  // of all diagnostics
  RegridLookahead lookahead_;             // for local time steps
  solvers::Status status_;
  TimeProgress progress_;
  std::vector<double> level_dx_;  // of all ranks, recounted after every change of the mesh
  TreatedVolumes treated_;        // of this rank; the root's include those before a restart
  BoundsWatch watch_;
  RunTimes times_;
  ResidentReport resident_report_;  // steps and regrids
  mesh::DeviceCounts counts_at_start_;
};

template <int D>
template <class Find>
void SimulationOf<D>::find_field(const Find& find) {
  if (!field_) return;
  const Timer timer(times_.prepare, "field");
  find(*field_);
  field_revision_ = mesh_.revision();
}

}  // namespace meander::simulation
