// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "base/log.hpp"
#include "base/timer.hpp"
#include "base/trace.hpp"
#include "simulation/control/device_memory.hpp"
#include "simulation/criteria/initial_jumps.hpp"
#include "simulation/diagnostics/inadmissible.hpp"
#include "simulation/diagnostics/totals.hpp"
#include "simulation/module.hpp"
#include "simulation/scenario_tools/field_formulas.hpp"
#include "simulation/simulation_of.hpp"

namespace meander::simulation {
namespace {

template <int D>
mesh::Boundaries<D> boundaries_of(const Config& config) {
  mesh::Boundaries<D> boundaries;
  for (int face = 0; face < 2 * D; ++face) {
    boundaries[static_cast<std::size_t>(face)] = config.domain.boundary[face];
  }
  return boundaries;
}

mesh::PartitionPolicy partition_policy(const Config& config) {
  const std::string& cuts = config.mesh.cuts;
  return {config.mesh.partition_imbalance, config.mesh.measured_weights,
          cuts == "one"      ? mesh::Cuts::one
          : cuts == "levels" ? mesh::Cuts::levels
                             : mesh::Cuts::automatic};
}

// If a step would leave less than this fraction of its length before the limit, the time to the limit is
// divided into two equal steps.
constexpr double smallest_last_step = 0.5;

mesh::MeshMemory memory_of(offload::Engine* engine, tasks::ResidentDevice* resident) {
  // The home of patches on a device is ordinary memory: what is never written there takes no room.
  if (resident != nullptr) return {gpu::host_memory(), *resident->messages};
  return engine == nullptr ? gpu::host_memory() : engine->patch_memory();
}

// The mesh, with its patches on the device if there is one.
template <int D>
mesh::PatchMesh<D>& housed(mesh::PatchMesh<D>& mesh, const Config& config, tasks::ResidentDevice* resident) {
  if (!config.offload.patches_on_device()) return mesh;
  mesh.residence().live_on(resident == nullptr ? nullptr : resident->device.get(),
                           resident == nullptr ? nullptr : resident->memory.get(),
                           resident != nullptr && resident->messages_in_place);
  return mesh;
}

}  // namespace

template <int D>
SimulationOf<D>::SimulationOf(const Config& config, int threads, mesh::DistributedTree<D> tree)
    : Simulation(config),
      team_(threads),
      solver_(config.equation->make_solver(D)),
      mirrors_(config.mirrors(), *solver_),
      engine_(make_engine(config.offload, *solver_, tree.communicator())),
      resident_(make_resident_device(config.offload, *solver_, tree.communicator())),
      mesh_(std::move(tree), *solver_, config.mesh.patch_size, boundaries_of<D>(config), states_beyond(),
            memory_of(engine_.get(), resident_.get()), partition_policy(config)),
      stepper_(housed(mesh_, config, resident_.get()), *solver_, team_, engine_.get(), &observers_),
      refinement_(config.mesh.min_level, config.mesh.buffer, config.refinement) {
  if (tasks::LeafObserver* const observer = config.scenario->observer()) observers_.add(*observer);
  if constexpr (D == 2)
    field_ = config.equation->make_field_2d();
  else
    field_ = config.equation->make_field_3d();
  if (config.time.stepping == "local") {
    const auto prepare = [this](const LevelTimes& times, double t) { prepare_levels(times, t); };
    const auto solve = [this](double t, int first) {
      find_field([&](StepField<D>& field) { field.solve_within(mesh_, t, first, team_); });
    };
    local_ = std::make_unique<LocalStepping<D>>(config_, mesh_, *solver_, stepper_, team_, prepare,
                                                field_.get(), solve);
  }
  for (const auto& diagnostic : config.diagnostics) diagnostics_.push_back(diagnostic->start());
  update_tracked_points();
  count_leaves();
}

template <int D>
mesh::GivenBoundary SimulationOf<D>::states_beyond() {
  return [this](int face, const double* x, double dx, double t, double* q) {
    const auto& state = config_.domain.state_beyond[face];
    try {
      if (state) {
        state->checked_unknowns(x, dx, t, q);
      } else {
        config_.scenario->boundary(x, dx, t, q);
        if (!config_.scenario->gives_all_unknowns()) solver_->complete(q);
      }
      if (field_) field_->act_beyond(x, dx, q);
    } catch (const InputError& error) {
      boundary_watch_.note(t, error.what());
      std::fill_n(q, solver_->traits().unknowns, std::numeric_limits<double>::quiet_NaN());
    }
  };
}

template <int D>
void SimulationOf<D>::check_states_beyond() const {
  const auto is_given = [](const mesh::BoundaryCondition* condition) {
    return condition->source == mesh::BoundaryCondition::Source::given;
  };
  if (std::none_of(config_.domain.boundary, config_.domain.boundary + 2 * D, is_given)) return;
  const std::string why = boundary_watch_.first(communicator());
  if (why.empty()) return;
  if (step_ == 0) throw parallel::AgreedInputError(why);
  throw StateFailure(fmt::format("step {}: a state beyond the boundary is not admissible: {}", step_, why));
}

template <int D>
void SimulationOf<D>::update_tracked_points() {
  tracked_points_.clear();
  for (const auto& diagnostic : diagnostics_) {
    const auto points = diagnostic->tracked_points();
    tracked_points_.insert(tracked_points_.end(), points.begin(), points.end());
  }
}

template <int D>
void SimulationOf<D>::set_up() {
  set_initial_data();
  // Every round can add one level, and may remove leaves that only the coarse buffer of an earlier round
  // required. Initial data are set again on the new mesh.
  for (int round = 0; round < 2 * (config_.mesh.max_level - config_.mesh.min_level); ++round) {
    if (!adapt()) break;
    set_initial_data();
  }
  warn_of_unrefined_jumps();
  set_fields();
  check_device_memory();
  status_ = stepper_.inspect();
  check_state();
  find_field([&](StepField<D>& field) { field.begin(mesh_, t_, team_); });
  times_.prepare = 0;  // of steps
  prepare_first_step();
}

template <int D>
void SimulationOf<D>::prepare_first_step() {
  config_.equation->begin_step(t_, *solver_);
  observers_.prepare(mesh_.revision(), mesh_.size(), mesh_.layout());
  config_.scenario->prepare_step(state("step data"), *solver_);
}

template <int D>
void SimulationOf<D>::warn_of_unrefined_jumps() {
  const int level = config_.mesh.min_level;
  if (!refinement_.can_refine() || leaves_.per_level[static_cast<std::size_t>(level)] < leaves_.total ||
      solver_->traits().point_values())
    return;
  const auto unknowns = jumping_unknowns(state("initial jumps"), config_);
  if (!unknowns.empty() && communicator().is_root()) log::warning(unrefined_jumps_warning(unknowns, level));
}

template <int D>
void SimulationOf<D>::set_initial_data() {
  const auto& layout = mesh_.layout();
  const bool completes = !config_.scenario->gives_all_unknowns();
  const auto fill = [&] {
    team_.for_chunks(mesh_.size(), [&](int, std::size_t begin, std::size_t end) {
      double state[solvers::most_unknowns], centre[3] = {0, 0, 0};
      for (std::size_t leaf = begin; leaf < end; ++leaf) {
        const auto& patch = mesh_.patches()[leaf];
        Index<D> i{};
        for (std::ptrdiff_t v = 0; v < layout.volumes(); ++v) {
          for (std::size_t a = 0; a < D; ++a) centre[a] = patch.lower[a] + (i[a] + 0.5) * patch.dx;
          config_.scenario->initial(centre, patch.dx, state);
          if (completes) solver_->complete(state);
          for (int u = 0; u < layout.unknowns; ++u) patch.q[layout.at(u, i)] = state[u];
          for (std::size_t a = 0; a < D && ++i[a] == layout.p; ++a) i[a] = 0;
        }
      }
    });
  };
  {
    const Timer timer(times_.initial, "initial data");
    communicator().agree(fill);  // the data may turn out to be inadmissible
  }
  mesh_.fill_halos(t_, team_);
  check_states_beyond();
}

template <int D>
void SimulationOf<D>::set_fields() {
  if (solver_->traits().fields == 0) return;
  const auto set = [&] {
    config_.equation->take_largest_field(fields_.update(mesh_, *config_.equation, team_), *solver_);
    if (local_) local_->keep_step_data();
  };
  if (step_ == 0) return set();
  try {
    set();
  } catch (const InputError& error) {
    throw StateFailure(fmt::format("step {}: {}", step_, error.what()));
  }
}

template <int D>
void SimulationOf<D>::advance(double limit) {
  const trace::Scope scope("step", step_ + 1);
  const double stable = stable_dt(), dt = next_dt(limit, stable);
  const double t_next = t_ + dt >= limit ? limit : t_ + dt;
  progress_.check({step_ + 1, t_, dt, t_next, stable, limit, config_.time.max_steps > 0});
  const auto begin = std::chrono::steady_clock::now();
  const mesh::DeviceCounts before = device_counts();
  if (resident_report_.steps == 0) counts_at_start_ = before;
  const double waited = stepper_.times().messages;
  for (const auto& diagnostic : diagnostics_) diagnostic->begin_step(state_of_interiors(diagnostic->name()));
  // After a regrid, the step brings the new mesh to the device.
  in_memory([&] { status_ = take_step(dt, t_next); });
  t_ = t_next;
  dt_ = dt;
  ++step_;
  updates_ += (local_ ? local_->leaf_updates() : leaves_.total) * mesh_.layout().volumes();
  count_status();
  check_state();
  for (const auto& diagnostic : diagnostics_)
    diagnostic->end_step(state_of_interiors(diagnostic->name()), dt);
  const std::vector<Point<3>> points = tracked_points_;
  update_tracked_points();
  lookahead_.add_step(points, tracked_points_, dt, stable);
  const bool regrids = !refinement_.is_static() && step_ % config_.mesh.regrid_every == 0;
  const mesh::DeviceCounts swept = device_counts();
  if (regrids) {
    regrid();
  } else if (local_ && local_->wants_partition()) {
    partition_by_steps();
  }
  prepare_step();
  if (resident_) {
    const double messages = stepper_.times().messages - waited;
    resident_report_.add_step({before, swept, device_counts()}, seconds_since(begin) - messages, regrids);
  }
}

template <int D>
void SimulationOf<D>::prepare_step() {
  const Timer timer(times_.prepare);
  config_.equation->begin_step(t_, *solver_);
  observers_.prepare(mesh_.revision(), mesh_.size(), mesh_.layout());
  config_.scenario->prepare_step(state_of_interiors("step data"), *solver_);
}

template <int D>
void SimulationOf<D>::prepare_levels(const LevelTimes& times, double t) {
  const Timer timer(times_.prepare);
  StateView view = state("step data");
  view.t = t;
  config_.scenario->prepare_levels(view, times, *solver_);
}

template <int D>
solvers::Status SimulationOf<D>::take_step(double dt, double t_next) {
  if (local_ && !local_->is_global()) {
    mesh_.complete_halos(team_);
    return field_ ? take_local_step_with_field(dt, t_next) : local_->advance(t_, dt, t_next);
  }
  if (local_) local_->count_global_step();
  if (field_) return take_step_with_field(dt, t_next);
  return stepper_.advance(t_, dt, t_next, tasks::Halos::deferred);
}

// Halves of the field's action about the fluxes; the time step follows from the state after both.
template <int D>
solvers::Status SimulationOf<D>::take_step_with_field(double dt, double t_next) {
  using Half = typename StepField<D>::Half;
  stepper_.change(field_->action(dt, Half::before, team_), t_);
  halos_are_stale_ = true;
  const solvers::Status step = stepper_.advance(t_, dt, t_next, tasks::Halos::none);
  if (step.failed) return step;
  find_field([&](StepField<D>& field) { field.solve(mesh_, t_next, dt, team_); });
  return inspect_after(step, field_->action(dt, Half::after, team_));
}

template <int D>
solvers::Status SimulationOf<D>::take_local_step_with_field(double dt, double t_next) {
  halos_are_stale_ = true;
  const solvers::Status step = local_->advance(t_, dt, t_next);
  if (step.failed) return step;
  const std::span<const double> ended = local_->last_steps();
  find_field([&](StepField<D>& field) { field.solve_after(mesh_, t_next, dt, ended, team_); });
  field_->act_after(ended, team_);
  return inspect_after(step, {});
}

template <int D>
solvers::Status SimulationOf<D>::inspect_after(const solvers::Status& step, const tasks::LeafChange& change) {
  solvers::Status status = stepper_.inspect(change);
  status.first_order = step.first_order;
  status.floored = step.floored;
  status.strayed = step.strayed;
  return status;
}

template <int D>
double SimulationOf<D>::stable_dt() {
  double finest = std::numeric_limits<double>::infinity();
  for (const double dx : level_dx_) finest = dx > 0 ? std::min(finest, dx) : finest;
  double dt = local_ ? local_->plan(status_, t_)
                     : std::min(config_.time.cfl * status_.min_crossing(), solver_->step_limit(t_, finest));
  if (field_ && !local_) dt = std::min(dt, field_->step_limit());
  return config_.time.max_dt > 0 ? std::min(dt, config_.time.max_dt) : dt;
}

template <int D>
double SimulationOf<D>::next_dt(double limit, double dt) const {
  const double remaining = limit - t_;
  if (dt >= remaining) return remaining;
  return remaining < (1 + smallest_last_step) * dt ? remaining / 2 : dt;
}

template <int D>
template <class Change>
void SimulationOf<D>::in_memory(const Change& change) const {
  const auto no_memory = [&](const char* reason) {
    return fmt::format(
        "step {}, t = {}: out of memory for the refined mesh ({}); files written so far are intact", step_,
        t_, reason);
  };
  try {
    change();
  } catch (const gpu::OutOfMemory& error) {
    throw Failure(no_memory(error.what()));
  } catch (const StateFailure&) {
    throw;
  } catch (const parallel::AgreedFailure& error) {
    if (communicator().any(resident_ && resident_->device->lost())) throw;
    throw parallel::AgreedFailure(no_memory(error.what()));
  }
}

template <int D>
void SimulationOf<D>::partition_by_steps() {
  const Timer timer(times_.regrid, "regrid");
  const std::vector<mesh::Adapt> keep(mesh_.size(), mesh::Adapt::keep);
  in_memory([&] {
    mesh_.adapt(keep, config_.mesh.min_level, config_.mesh.max_level, t_, team_);
    mesh_.residence().prepare_step(team_);
  });
  set_fields();
  follow_mesh(false);
}

template <int D>
void SimulationOf<D>::regrid() {
  const Timer timer(times_.regrid, "regrid");
  bool changed = false;
  in_memory([&] { changed = adapt(); });
  set_fields();
  if (changed) {
    in_memory([&] { status_ = stepper_.enforce_floors(); });
    count_status();
    check_state();
    in_memory([&] { mesh_.fill_halos(t_, team_); });
    halos_are_stale_ = false;
  } else {
    in_memory([&] { mesh_.residence().prepare_step(team_); });  // leaves may have moved to other ranks
  }
  follow_mesh(changed);
}

template <int D>
void SimulationOf<D>::follow_mesh(bool changed) {
  if (!field_ || !communicator().any(field_revision_ != mesh_.revision())) return;
  in_memory([&] {  // its time is that of the regrid
    changed ? field_->solve(mesh_, t_, 0, team_) : field_->resume(mesh_, t_, team_);
    field_revision_ = mesh_.revision();
  });
}

template <int D>
void SimulationOf<D>::count_status() {
  treated_.first_order += status_.first_order;
  treated_.floored += status_.floored;
  treated_.strayed += status_.strayed;
  watch_.look(state_of_interiors("bounds"), *solver_, status_, step_);
}

template <int D>
void SimulationOf<D>::check_state() const {
  check_states_beyond();
  if (!status_.failed) return;
  throw_inadmissible(state("failing state"), *solver_, status_.inadmissible, step_,
                     find_module(config_.equation_name)->remedy);
}

template <int D>
bool SimulationOf<D>::adapt() {
  if (engine_) engine_->safepoint();
  const StateView now = state("regrid");
  const auto later = local_ ? lookahead_.views(now, config_.mesh.regrid_every) : std::vector<StateView>();
  const auto flags = refinement_.flags(mesh_, now, later);
  if (!mesh_.adapt(flags, config_.mesh.min_level, config_.mesh.max_level, t_, team_)) return false;
  count_leaves();
  return true;
}

template <int D>
void SimulationOf<D>::count_leaves() {
  std::vector<std::int64_t> leaves(std::size_t{mesh::Key<D>::max_level} + 1, 0);
  for (const int level : mesh_.levels()) ++leaves[static_cast<std::size_t>(level)];
  communicator().sum(std::span<std::int64_t>(leaves));
  leaves_.total = 0;
  level_dx_.assign(leaves.size(), 0);
  const mesh::Domain<D> domain = domain_of<D>(config_);
  std::size_t levels = static_cast<std::size_t>(config_.mesh.max_level) + 1;
  for (std::size_t level = 0; level < leaves.size(); ++level) {
    if (leaves[level] == 0) continue;
    leaves_.total += leaves[level];
    level_dx_[level] = domain.width(static_cast<int>(level)) / mesh_.layout().p;
    levels = std::max(levels, level + 1);
  }
  leaves.resize(levels);
  level_dx_.resize(levels);
  leaves_.volumes = leaves_.total * mesh_.layout().volumes();
  leaves_.per_level = std::move(leaves);
  if (local_) local_->set_levels(leaves_.per_level, level_dx_);
}

template <int D>
std::vector<Vec<int, 3>> SimulationOf<D>::leaf_indices() const {
  std::vector<Vec<int, 3>> indices(mesh_.size(), Vec<int, 3>{});
  for (std::size_t leaf = 0; leaf < mesh_.size(); ++leaf) {
    for (std::size_t a = 0; a < D; ++a) indices[leaf][a] = mesh_.view().neighbours().cells()[leaf].at[a];
  }
  return indices;
}

template <int D>
std::vector<double> SimulationOf<D>::totals() const {
  return simulation::totals(state_of_interiors("totals"));
}

template <int D>
std::vector<Measure> SimulationOf<D>::measures() {
  std::vector<Measure> all;
  const auto add = [&](std::vector<Measure> measures) {
    for (Measure& measure : measures) all.push_back(std::move(measure));
  };
  // Tracked points come first: the scenario's own columns may refer to them.
  for (const auto& diagnostic : diagnostics_) {
    if (!diagnostic->tracked_points().empty()) add(diagnostic->measure(view_for(*diagnostic)));
  }
  add(config_.scenario->measure(state_of_interiors("scenario")));
  if (field_) add(field_->measures());
  for (const auto& diagnostic : diagnostics_) {
    if (!diagnostic->tracked_points().empty()) continue;
    add(diagnostic->measure(view_for(*diagnostic)));
  }
  return all;
}

template <int D>
std::vector<io::RowFile> SimulationOf<D>::row_files() const {
  std::vector<io::RowFile> all;
  for (const auto& diagnostic : diagnostics_) {
    for (io::RowFile& file : diagnostic->files()) all.push_back(std::move(file));
  }
  return all;
}

template <int D>
DiagnosticRows SimulationOf<D>::rows() {
  DiagnosticRows all;
  for (const auto& diagnostic : diagnostics_) {
    DiagnosticRows due = diagnostic->rows(view_for(*diagnostic));
    due.rows.resize(diagnostic->files().size());
    for (io::Row& row : due.rows) all.rows.push_back(std::move(row));
    if (all.stop.empty()) all.stop = due.stop;
  }
  return all;
}

template <int D>
TreatedVolumes SimulationOf<D>::treated_volumes() const {
  return {communicator().sum(treated_.first_order), communicator().sum(treated_.floored),
          communicator().sum(treated_.strayed)};
}

template <int D>
mesh::MeshBytes SimulationOf<D>::bytes() const {
  mesh::MeshBytes bytes = mesh_.bytes();
  if (field_) bytes.state += field_->bytes();
  return bytes;
}

template <int D>
RunTimes SimulationOf<D>::times() const {
  RunTimes times = times_;
  times.sweeps = stepper_.times();
  times.messages = stepper_.message_overlap();
  return times;
}

template <int D>
void SimulationOf<D>::save(io::CheckpointMesh& mesh, io::CheckpointState& state) const {
  const mesh::Domain<D> domain = domain_of<D>(config_);
  mesh.mesh.layout = mesh_.layout();
  mesh.mesh.base_level = domain.base_level;
  mesh.mesh.base_width = domain.base_width;
  for (int a = 0; a < D; ++a) {
    mesh.mesh.lower[a] = domain.lower[a];
    mesh.base_cells[a] = domain.base_cells[a];
    mesh.periodic[a] = domain.periodic[a];
  }
  mesh.unknowns = solver_->traits().saved_names();
  state.input = config_.resolved;
  state.equation = config_.equation_name;
  state.step = step_;
  state.time = t_;
  state.dt = dt_;
  state.counters.emplace_back(updates_counter, updates_);
  const TreatedVolumes treated = treated_volumes();
  state.counters.emplace_back(first_order_counter, treated.first_order);
  state.counters.emplace_back(floored_counter, treated.floored);
  for (const auto& diagnostic : diagnostics_) diagnostic->save(state);
  state.counters.emplace_back(strayed_counter, treated.strayed);
  if (local_) local_->save(state);
  if (field_) field_->save(state);
}

template class SimulationOf<2>;
template class SimulationOf<3>;

parallel::Communicator with_windows(const parallel::Communicator& ranks, const Config& config) {
  const bool wanted = config.mesh.windows == "auto" && !config.offload.patches_on_device();
  return wanted && !ranks.has_windows() ? ranks.with_windows() : ranks;
}

std::unique_ptr<Simulation> make_simulation(const Config& config, int threads,
                                            const parallel::Communicator& communicator) {
  config.scenario->prepare_initial(communicator);
  const auto set_up = [&]<int D>() -> std::unique_ptr<Simulation> {
    auto simulation = std::make_unique<SimulationOf<D>>(
        config, threads,
        mesh::DistributedTree<D>::uniform(domain_of<D>(config), config.mesh.min_level,
                                          with_windows(communicator, config)));
    simulation->set_up();
    config.scenario->release_initial();
    return simulation;
  };
  return in_device_memory(config, [&] {
    return config.domain.dimensions == 2 ? set_up.operator()<2>() : set_up.operator()<3>();
  });
}

}  // namespace meander::simulation
