// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/patch_residence.hpp"

#include <algorithm>
#include <limits>

#include "mesh/device_local_steps.hpp"

namespace meander::mesh {
namespace {

// On an emulated device, a read of a stale slot must not go unnoticed.
void spoil(std::span<const solvers::PatchTask> patches, const solvers::PatchLayout& layout) {
  for (const solvers::PatchTask& patch : patches)
    std::fill_n(patch.q, layout.slot_size(), std::numeric_limits<double>::signaling_NaN());
}

std::vector<double*> slots_of(std::span<const solvers::PatchTask> patches) {
  std::vector<double*> slots;
  for (const solvers::PatchTask& patch : patches) slots.push_back(patch.q);
  return slots;
}

}  // namespace

template <int D>
PatchResidence<D>::PatchResidence(const Mesh& mesh) : mesh_(mesh) {}

template <int D>
PatchResidence<D>::~PatchResidence() = default;

template <int D>
void PatchResidence<D>::live_on(gpu::Device* device, gpu::Resource* memory, bool in_place) {
  some_live_on_device_ = true;
  mesh_.exchange.keep_border_first();
  if (device != nullptr)
    device_ = std::make_unique<DevicePatches<D>>(mesh_.solver, mesh_.layout, mesh_.boundaries, *device,
                                                 *memory, mesh_.message_memory, in_place);
}

template <int D>
typename DevicePatches<D>::Mesh PatchResidence<D>::tables() const {
  return {mesh_.exchange, *mesh_.view, mesh_.patches, mesh_.slots};
}

template <int D>
void PatchResidence<D>::forget_tables() {
  has_tables_ = has_level_tables_ = false;
  uploaded_groups_.clear();
  device_local_steps_.reset();
}

template <int D>
void PatchResidence<D>::reserve() {
  // Before the first step prepare_step() reserves, when the size is known.
  if (is_current_on_device_) device_->reserve(mesh_.pool.capacity());
}

template <int D>
void PatchResidence<D>::bring_home(const char* reason) const {
  if (is_current_at_home_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(bring_home_mutex_);
  if (is_current_at_home_.load(std::memory_order_relaxed)) return;
  device_->fetch(mesh_.slots, slots_of(own_patches()));
  ++brought_home_[reason];
  is_current_at_home_.store(true, std::memory_order_release);
}

template <int D>
void PatchResidence<D>::changed_on_device() {
  if (is_current_at_home_ && device_->launches().device.properties().checked)
    spoil(own_patches(), mesh_.layout);
  is_current_at_home_ = false;
}

template <int D>
void PatchResidence<D>::send_fields(std::span<const std::size_t> leaves) {
  if (!is_current_on_device_) return;
  std::vector<int> slots;
  std::vector<double*> home;
  for (const std::size_t leaf : leaves) {
    slots.push_back(mesh_.slots[leaf]);
    home.push_back(mesh_.patches[leaf].q);
  }
  device_->send_fields(slots, home);
}

template <int D>
void PatchResidence<D>::prepare_step(const ThreadTeam& team) {
  if (some_live_on_device_ && !has_tables_) {
    mesh_.tree.communicator().agree([&] {
      if (!device_) return;
      device_->reserve(mesh_.pool.capacity());
      device_->rebuild(tables(), team);
    });
    has_tables_ = true;
  }
  if (device_ && !is_current_on_device_) device_->send(mesh_.slots, slots_of(own_patches()));
  is_current_on_device_ = device_ != nullptr;
}

template <int D>
void PatchResidence<D>::prepare_local_steps() {
  if (!some_live_on_device_) return;
  prepare_step();
  if (has_level_tables_) return;
  mesh_.tree.communicator().agree([&] {
    if (!device_) return;
    device_local_steps_ = std::make_unique<DeviceLocalSteps<D>>(
        *device_, mesh_.boundaries, mesh_.message_memory, *mesh_.local_steps, tables());
  });
  has_level_tables_ = true;
}

template <int D>
void PatchResidence<D>::prepare_levels(int first, int last) {
  const std::pair levels(first, last);
  if (!some_live_on_device_ || std::ranges::find(uploaded_groups_, levels) != uploaded_groups_.end()) return;
  mesh_.tree.communicator().agree([&] {
    if (device_local_steps_) device_local_steps_->add(first, last);
  });
  uploaded_groups_.push_back(levels);
}

template <int D>
std::map<std::string, std::int64_t> PatchResidence<D>::brought_home() const {
  const std::lock_guard lock(bring_home_mutex_);
  return brought_home_;
}

namespace {

// Of a leaf, apart from the operations of its halo: patch, status, number, refluxing.
constexpr std::size_t table_bytes_of_leaf = sizeof(solvers::DevicePatch) + sizeof(solvers::PatchStatus) + 128;

template <int D>
std::size_t operations_of(const HaloPlan<D>& plan, std::size_t leaves) {
  std::size_t operations = 0;
  for (std::size_t leaf = 0; leaf < leaves; ++leaf)
    operations += plan.early(leaf).size() + plan.late(leaf).size() + plan.second(leaf).size();
  return operations;
}

std::size_t bytes_of(const parallel::NeighbourMessages& messages) {
  return messages.sent_bytes() + messages.received_bytes();
}

// What DeviceLocalSteps holds.
template <int D>
void add_local_steps(DeviceMemory& memory, LocalSteps<D>& steps, const solvers::Solver& solver,
                     const solvers::PatchLayout& layout, std::size_t leaves) {
  const std::size_t slot = static_cast<std::size_t>(layout.slot_size()) * sizeof(double);
  const std::size_t stages =
      static_cast<std::size_t>(solver.traits().stage_blocks * layout.stage_block_size()) * sizeof(double);
  std::size_t most_sources = 0, most_shadows = 0;
  memory.tables += leaves * table_bytes_of_leaf;
  for (int level = steps.coarsest(); level < steps.finest(); ++level) {
    const CoarseInTime<D>& coarse = steps.coarse(level);
    most_sources = std::max(most_sources, coarse.sources().size());
    memory.slots += coarse.kept() * sizeof(double);
    memory.tables += 2 * coarse.sources().size() * sizeof(solvers::LevelItem);
    if (!layout.point_values) {
      const FluxCorrection<D>& fluxes = steps.fluxes(level);
      memory.messages += fluxes.register_bytes() + bytes_of(fluxes.messages());
      memory.tables += fluxes.fine_faces().size() * sizeof(solvers::LevelItem);
      continue;
    }
    CutTree<D>& cut = steps.cut(level);
    const auto own = cut.patches().kinds.first(cut.patches().leaf_of_mesh.size());
    most_shadows =
        std::max(most_shadows, static_cast<std::size_t>(std::ranges::count(own, CellKind::shadow)));
    memory.slots += cut.refined().size() * (slot + stages);
    memory.messages += bytes_of(cut.messages());
    memory.tables += cut.refined().size() * children<D> * sizeof(solvers::FillPart);
  }
  memory.slots += most_sources * slot;
  if (solver.kernels_of_launch().stage_new_interior)
    memory.next +=
        most_shadows * static_cast<std::size_t>(layout.volumes() * layout.unknowns) * sizeof(double);
  for (const auto& [levels, exchange] : steps.exchanges()) {
    const HaloPlan<D>& plan = exchange->exchange().plan();
    memory.slots += plan.ghost_patches().size() * slot;
    memory.messages += bytes_of(exchange->exchange().messages());
    memory.tables +=
        operations_of(plan, steps.tree(levels.second).leaf_of_mesh.size()) * sizeof(solvers::FillOp);
    if (exchange->shadows() > 0) memory.tables += exchange->members().size() * table_bytes_of_leaf;
  }
}

}  // namespace

template <int D>
DeviceMemory PatchResidence<D>::memory() const {
  const solvers::PatchLayout& layout = mesh_.layout;
  const solvers::Traits& traits = mesh_.solver.traits();
  const HaloPlan<D>& plan = mesh_.exchange.halos().plan();
  const FluxCorrection<D>& fluxes = mesh_.exchange.fluxes();
  const std::size_t leaves = mesh_.slots.size();
  const auto doubles =
      static_cast<std::size_t>(layout.slot_size()) +
      static_cast<std::size_t>(traits.stage_blocks) * static_cast<std::size_t>(layout.stage_block_size());
  const auto interior = static_cast<std::size_t>(layout.volumes() * layout.unknowns);
  DeviceMemory memory;
  memory.slots = mesh_.pool.capacity() * doubles * sizeof(double) +
                 plan.ghost_patches().size() * static_cast<std::size_t>(layout.slot_size()) * sizeof(double);
  if (mesh_.solver.kernels_of_launch().stage_new_interior) memory.next = leaves * interior * sizeof(double);
  memory.messages = fluxes.register_doubles() * sizeof(double) + bytes_of(mesh_.exchange.halos().messages()) +
                    bytes_of(fluxes.messages());
  memory.tables = leaves * table_bytes_of_leaf + operations_of(plan, leaves) * sizeof(solvers::FillOp) +
                  leaves * static_cast<std::size_t>(layout.unknowns) * sizeof(double);
  memory.scratch = mesh_.solver.scratch_bytes(layout, static_cast<int>(leaves)) +
                   mesh_.solver.scratch_bytes(layout, static_cast<int>(mesh_.exchange.border())) +
                   mesh_.solver.step_bytes().size();
  if (mesh_.local_steps) add_local_steps(memory, *mesh_.local_steps, mesh_.solver, layout, leaves);
  return memory;
}

template class PatchResidence<2>;
template class PatchResidence<3>;

}  // namespace meander::mesh
