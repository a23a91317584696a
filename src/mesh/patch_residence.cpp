// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Patches that live on a device, and their home in host memory.
#include <algorithm>
#include <limits>

#include "mesh/device_local_steps.hpp"
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

#define MEANDER_INSTANTIATE(D)                                          \
  template void PatchMesh<D>::live_on(gpu::Device*, gpu::Resource*);    \
  template typename DevicePatches<D>::Mesh PatchMesh<D>::device_mesh(); \
  template void PatchMesh<D>::home_is_stale();                          \
  template void PatchMesh<D>::prepare_step();                           \
  template void PatchMesh<D>::upload_local_steps();                     \
  template LevelExchange<D>& PatchMesh<D>::level_exchange(int, int);    \
  template void PatchMesh<D>::bring_home(const char*) const;            \
  template DevicePatches<D>& PatchMesh<D>::begin_on_device();
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::mesh
