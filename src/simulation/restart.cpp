// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// A simulation from a checkpoint. A step depends on the state of the leaves, the time and the step number only:
// halos, the rates that determine the next time step and the scenario's step data are recomputed from them,
// bitwise identically.
#include "simulation/control/device_memory.hpp"
#include "simulation/simulation_of.hpp"

namespace meander::simulation {
namespace {

// The tree with leaves divided evenly between the ranks.
template <int D>
mesh::DistributedTree<D> tree_of(const Config& config, const parallel::Communicator& communicator,
                                 io::CheckpointReader& checkpoint) {
  const std::int64_t leaves = checkpoint.leaves(), ranks = communicator.size();
  const std::int64_t begin = leaves * communicator.rank() / ranks,
                     end = leaves * (communicator.rank() + 1) / ranks;
  const mesh::Domain<D> domain = domain_of<D>(config);
  // Checksums verify the bytes of the file, not that the leaves fit this domain.
  const std::string misfit = "restart: the checkpoint's leaves do not tile the domain of the input";
  const std::vector<io::PlotLeaf> read = checkpoint.read_leaves(begin, end);
  std::vector<mesh::Key<D>> keys;
  communicator.agree([&] {
    for (const io::PlotLeaf& leaf : read) {
      mesh::Cell<D> cell;
      cell.level = leaf.level;
      bool inside = leaf.level >= domain.base_level && leaf.level <= mesh::Key<D>::max_level;
      for (int a = 0; inside && a < D; ++a) {
        cell.at[a] = leaf.at[a];
        inside = leaf.at[a] >= 0 && leaf.at[a] < domain.cells(leaf.level, a);
      }
      if (!inside) throw InputError(misfit);
      keys.push_back(mesh::key_of<D>(cell));
    }
  });
  auto tree = mesh::DistributedTree<D>::checked(domain, std::move(keys), communicator);
  if (!tree || !tree->is_balanced()) throw parallel::AgreedInputError(misfit);
  return std::move(*tree);
}

}  // namespace

template <int D>
void SimulationOf<D>::resume(io::CheckpointReader& checkpoint) {
  const io::CheckpointState& saved = checkpoint.state();
  t_ = saved.time;
  dt_ = saved.dt;
  step_ = static_cast<int>(saved.step);
  for (const auto& [name, value] : saved.counters) {
    if (name == updates_counter) updates_ = value;
    if (!communicator().is_root()) continue;
    if (name == first_order_counter) treated_.first_order = value;
    if (name == floored_counter) treated_.floored = value;
    if (name == strayed_counter) treated_.strayed = value;
  }
  if (local_) local_->resume(saved);
  if (field_) field_->restore(saved);
  for (const auto& diagnostic : diagnostics_) diagnostic->resume(saved);
  update_tracked_points();
  std::vector<double*> slots;
  for (const auto& patch : mesh_.patches()) slots.push_back(patch.q);
  const std::int64_t first = mesh_.tree().first_leaf();
  checkpoint.read_patches(first, first + static_cast<std::int64_t>(slots.size()), mesh_.layout(), slots);
  set_fields();
  check_device_memory();
  mesh_.fill_halos(t_, team_);
  status_ = stepper_.inspect();
  check_state();
  find_field([&](StepField<D>& field) { field.resume(mesh_, t_, team_); });
  times_.prepare = 0;  // of steps
  prepare_first_step();
}

std::unique_ptr<Simulation> restart_simulation(const Config& config, int threads,
                                               const parallel::Communicator& communicator,
                                               io::CheckpointReader& checkpoint) {
  const auto resume = [&]<int D>() -> std::unique_ptr<Simulation> {
    auto simulation = std::make_unique<SimulationOf<D>>(
        config, threads, tree_of<D>(config, with_windows(communicator, config), checkpoint));
    simulation->resume(checkpoint);
    return simulation;
  };
  return in_device_memory(config, [&] {
    return config.domain.dimensions == 2 ? resume.operator()<2>() : resume.operator()<3>();
  });
}

}  // namespace meander::simulation
