// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Patches that live on a device, and their home in host memory.

#include <algorithm>
#include <limits>

#include "mesh/device_local_steps.hpp"
#include "mesh/device_patches.hpp"
#include "mesh/patch_mesh.hpp"

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
void PatchMesh<D>::live_on(gpu::Device* device, gpu::Resource* memory) {
  some_live_on_device_ = true;
  if (device != nullptr)
    device_ =
        std::make_unique<DevicePatches<D>>(solver_, layout_, boundaries_, *device, *memory, message_memory_);
}

template <int D>
typename DevicePatches<D>::Mesh PatchMesh<D>::device_mesh() {
  return {halos_, flux_correction_, *view_, patches_, slots_, order_, order_index_, border_};
}

template <int D>
void PatchMesh<D>::bring_home(const char* reason) const {
  if (is_current_at_home_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(bring_home_mutex_);
  if (is_current_at_home_.load(std::memory_order_relaxed)) return;
  device_->fetch(slots_, slots_of(patches()));
  ++brought_home_[reason];
  is_current_at_home_.store(true, std::memory_order_release);
}

template <int D>
void PatchMesh<D>::send_fields(std::span<const std::size_t> leaves) {
  if (!device_ || !is_current_on_device_) return;
  std::vector<int> slots;
  std::vector<double*> home;
  for (const std::size_t leaf : leaves) {
    slots.push_back(slots_[leaf]);
    home.push_back(patches_[leaf].q);
  }
  device_->send_fields(slots, home);
}

template <int D>
void PatchMesh<D>::prepare_step() {
  if (some_live_on_device_ && !has_tables_) {
    communicator().agree([&] {
      if (!device_) return;
      device_->reserve(pool_.capacity());
      device_->rebuild(device_mesh());
    });
    has_tables_ = true;
  }
  if (device_ && !is_current_on_device_) device_->send(slots_, slots_of(patches()));
  is_current_on_device_ = device_ != nullptr;
}

template <int D>
void PatchMesh<D>::upload_local_steps() {
  prepare_step();
  if (has_level_tables_) return;
  communicator().agree([&] {
    if (!device_) return;
    device_local_steps_ = std::make_unique<DeviceLocalSteps<D>>(*device_, boundaries_, message_memory_,
                                                                *local_steps_, device_mesh());
  });
  has_level_tables_ = true;
}

template <int D>
LevelExchange<D>& PatchMesh<D>::level_exchange(int first, int last) {
  LevelExchange<D>& exchange = local_steps_->exchange(first, last);
  const std::pair levels(first, last);
  if (some_live_on_device_ && std::ranges::find(uploaded_groups_, levels) == uploaded_groups_.end()) {
    communicator().agree([&] {
      if (device_local_steps_) device_local_steps_->add(first, last);
    });
    uploaded_groups_.push_back(levels);
  }
  return exchange;
}

template <int D>
DevicePatches<D>& PatchMesh<D>::begin_on_device() {
  home_is_stale();
  return *device_;
}

template <int D>
void PatchMesh<D>::home_is_stale() {
  if (is_current_at_home_ && device_->device().properties().checked) spoil(patches(), layout_);
  is_current_at_home_ = false;
}

// Of a leaf, apart from the operations of its halo: patch, status, number, refluxing.
constexpr std::size_t table_bytes_of_leaf = sizeof(solvers::DevicePatch) + sizeof(solvers::PatchStatus) + 128;

template <int D>
std::map<std::string, std::int64_t> PatchMesh<D>::brought_home() const {
  const std::lock_guard lock(bring_home_mutex_);
  return brought_home_;
}

namespace {

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
      memory.messages +=
          (fluxes.register_doubles() + fluxes.sums()) * sizeof(double) + bytes_of(fluxes.messages());
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
  if (solver.stages_new_interior())
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
DeviceMemory PatchMesh<D>::device_memory() const {
  const HaloPlan<D>& plan = halos_.plan();
  const auto doubles = static_cast<std::size_t>(layout_.slot_size()) +
                       static_cast<std::size_t>(solver_.traits().stage_blocks) *
                           static_cast<std::size_t>(layout_.stage_block_size());
  const auto interior = static_cast<std::size_t>(layout_.volumes() * layout_.unknowns);
  DeviceMemory memory;
  memory.slots = pool_.capacity() * doubles * sizeof(double) +
                 plan.ghost_patches().size() * static_cast<std::size_t>(layout_.slot_size()) * sizeof(double);
  if (solver_.stages_new_interior()) memory.next = size() * interior * sizeof(double);
  memory.messages = flux_correction_.register_doubles() * sizeof(double) + bytes_of(halos_.messages()) +
                    bytes_of(flux_correction_.messages());
  memory.tables = size() * table_bytes_of_leaf + operations_of(plan, size()) * sizeof(solvers::FillOp) +
                  size() * static_cast<std::size_t>(layout_.unknowns) * sizeof(double);
  memory.scratch = solver_.scratch_bytes(layout_, static_cast<int>(size())) + solver_.step_bytes().size();
  if (local_steps_) add_local_steps(memory, *local_steps_, solver_, layout_, size());
  return memory;
}

#define MEANDER_INSTANTIATE(D)                                                     \
  template void PatchMesh<D>::live_on(gpu::Device*, gpu::Resource*);               \
  template typename DevicePatches<D>::Mesh PatchMesh<D>::device_mesh();            \
  template void PatchMesh<D>::home_is_stale();                                     \
  template void PatchMesh<D>::send_fields(std::span<const std::size_t>);           \
  template void PatchMesh<D>::prepare_step();                                      \
  template void PatchMesh<D>::upload_local_steps();                                \
  template LevelExchange<D>& PatchMesh<D>::level_exchange(int, int);               \
  template void PatchMesh<D>::bring_home(const char*) const;                       \
  template DevicePatches<D>& PatchMesh<D>::begin_on_device();                      \
  template std::map<std::string, std::int64_t> PatchMesh<D>::brought_home() const; \
  template DeviceMemory PatchMesh<D>::device_memory() const;
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::mesh
