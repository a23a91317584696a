// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/device_patches.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/timer.hpp"
#include "base/trace.hpp"

namespace meander::mesh {

template <int D>
DevicePatches<D>::DevicePatches(const solvers::Solver& solver, const solvers::PatchLayout& layout,
                                const BoundaryFill<D>& boundaries, gpu::Device& device, gpu::Resource& memory,
                                std::pmr::memory_resource& host_memory)
    : solver_(solver),
      layout_(layout),
      boundaries_(boundaries),
      memory_(memory),
      host_memory_(host_memory),
      launches_{solver, layout, device, device.create_queue(), {}},
      next_(device, memory),
      moved_(device, memory),
      reflux_(launches_, memory, DeviceReflux<D>::Fine::one_step),
      step_data_(device, memory),
      scratch_(device, memory),
      patches_(device, memory),
      status_(device, memory),
      leaf_(device, memory),
      merged_(device, memory),
      shell_sums_(device, memory),
      measured_(device, memory),
      points_(device, memory),
      samples_(device, memory),
      moves_{{device, memory}, {device, memory}, {device, memory}},
      halos_(launches_, boundaries, memory, host_memory) {
  const std::string& kind = device.properties().kind;
  if (!solver.runs_on(kind) || !solver.resides_on(kind))
    throw InputError(fmt::format("{} has no kernels for patches that live on {}", solver.traits().name,
                                 device.properties().name));
  merged_.resize(launches_.queue, 1 + solvers::ReduceBatch::lanes);
  result_ = static_cast<solvers::Status*>(device.allocate(gpu::Space::pinned, sizeof *result_));
}

template <int D>
DevicePatches<D>::~DevicePatches() {
  launches_.device.settle(gpu::mark(launches_.queue));
  for (const Chunk& chunk : chunks_) memory_.deallocate_sync(chunk.memory, chunk.bytes);
  launches_.device.deallocate(gpu::Space::pinned, result_);
  launches_.device.destroy_queue(launches_.queue);
}

template <int D>
void DevicePatches<D>::reserve(std::size_t slots) {
  if (slots <= slots_.size()) return;
  const solvers::Traits& traits = solver_.traits();
  const auto doubles =
      static_cast<std::size_t>(layout_.slot_size() + traits.stage_blocks * layout_.stage_block_size());
  const std::size_t more = slots - slots_.size(), bytes = more * doubles * sizeof(double);
  double* const memory = static_cast<double*>(memory_.allocate_sync(bytes));
  chunks_.push_back({memory, bytes});
  for (std::size_t i = 0; i < more; ++i) slots_.push_back(memory + i * doubles);
}

template <int D>
void DevicePatches<D>::rebuild(const Mesh& mesh) {
  const Timer timer(launches_.counts.moved, "tables of the device");
  launches_.device.synchronize(launches_.queue);  // work with the old tables has ended
  ++launches_.counts.rebuilds;
  leaves_ = mesh.order.size();
  border_ = mesh.border;
  other_halos_.reset();
  halos_.rebuild(mesh.halos, mesh.view, mesh.patches, mesh.order,
                 [&](std::size_t leaf) { return slot(mesh.slots[leaf]); });
  upload_patches(mesh);
}

template <int D>
void DevicePatches<D>::upload_patches(const Mesh& mesh) {
  const gpu::Queue queue = launches_.queue;
  const bool stages = solver_.stages_new_interior();
  const auto interior = static_cast<std::size_t>(layout_.volumes() * layout_.unknowns);
  if (stages) next_.resize(queue, leaves_ * interior);
  scratch_.resize(queue, solver_.scratch_bytes(layout_, static_cast<int>(leaves_)));
  status_.resize(queue, leaves_);
  // For a value of every unknown: what a diagnostic asks for allocates nothing.
  measured_.resize(queue, leaves_ * static_cast<std::size_t>(layout_.unknowns));
  std::vector<solvers::DevicePatch> patches(leaves_);
  radiates_ = false;
  for (std::size_t index = 0; index < leaves_; ++index) {
    const auto leaf = static_cast<std::size_t>(mesh.order[index]);
    patches[index] =
        entry(mesh.patches[leaf], slot(mesh.slots[leaf]), stages ? next_.data() + index * interior : nullptr,
              mesh.view.neighbours().cells()[leaf].level);
    radiates_ = radiates_ || patches[index].radiative != 0;
  }
  if (solver_.traits().conservative)
    reflux_.rebuild(mesh.fluxes, mesh.patches, patches, mesh.order_index, mesh.border);
  launches_.upload(patches_, std::move(patches));
  launches_.upload(leaf_, {mesh.order.begin(), mesh.order.end()});
  index_of_leaf_.assign(mesh.order_index.begin(), mesh.order_index.end());
}

template <int D>
solvers::DevicePatch DevicePatches<D>::entry(const solvers::PatchTask& task, double* slot, double* next,
                                             int level) const {
  solvers::DevicePatch patch;
  patch.q = patch.slot = slot;
  patch.next = next;
  if (solver_.traits().stage_blocks > 0) patch.stages = slot + layout_.slot_size();
  std::copy(std::begin(task.lower), std::end(task.lower), patch.lower);
  patch.dx = task.dx;
  patch.radiative = task.radiative;
  patch.level = static_cast<std::uint8_t>(level);
  return patch;
}

template <int D>
void DevicePatches<D>::expect(std::size_t patches, bool radiates) {
  scratch_.resize(launches_.queue,
                  solver_.scratch_bytes(layout_, static_cast<int>(std::max(patches, leaves_))));
  radiates_ = radiates_ || radiates;
}

template <int D>
void DevicePatches<D>::send(std::span<const int> slots, std::span<double* const> host) {
  const Timer timer(launches_.counts.moved, "send patches", static_cast<std::int64_t>(slots.size()));
  for (std::size_t i = 0; i < slots.size(); ++i)
    launches_.copy_in(slot(slots[i]), host[i], static_cast<std::size_t>(layout_.slot_size()));
  launches_.device.synchronize(launches_.queue);
}

template <int D>
void DevicePatches<D>::fetch(std::span<const int> slots, std::span<double* const> host) {
  const trace::Scope scope("bring home", static_cast<std::int64_t>(slots.size()));
  for (std::size_t i = 0; i < slots.size(); ++i)
    launches_.copy_out(host[i], slot(slots[i]), static_cast<std::size_t>(layout_.slot_size()));
  launches_.wait_for_all();
}

template <int D>
void DevicePatches<D>::begin(const Stage& stage) {
  stage_ = stage;
  ++launches_.counts.stages;
  if (stage.number > 0) return;
  const auto bytes = solver_.step_bytes();
  if (bytes.empty()) return;
  launches_.wait(step_data_sent_);  // with local steps, the device may still be in the stage before
  launches_.upload(step_data_, {bytes.begin(), bytes.end()});
  step_data_sent_ = launches_.device.record(launches_.queue);
}

template <int D>
auto DevicePatches<D>::range(LeafGroup group) const -> Range {
  return group == LeafGroup::border ? Range{0, border_} : Range{border_, leaves_};
}

template <int D>
void DevicePatches<D>::update(LeafGroup group) {
  const Range leaves = range(group);
  update(patches_.data() + leaves.begin, status_.data() + leaves.begin, leaves.end - leaves.begin, stage_);
}

template <int D>
void DevicePatches<D>::update(const solvers::DevicePatch* patches, solvers::PatchStatus* status,
                              std::size_t count, const Stage& stage) {
  if (count == 0) return;
  solvers::DeviceBatch batch;
  batch.count = static_cast<int>(count);
  batch.patches = patches;
  batch.status = status;
  if (step_data_.size() > 0) batch.step_data = step_data_.data();
  if (scratch_.size() > 0) batch.scratch = scratch_.data();
  batch.layout = layout_;
  batch.radiates = radiates_;
  batch.in_place = true;
  batch.stage = stage.number;
  batch.t = stage.t;
  batch.dt = stage.dt;
  const bool in_one_region = launches_.device.properties().kind == "openmp";
  launches_.counts.launches += in_one_region ? 1 : solver_.kernels_of_launch();
  launches_.device.launch(launches_.queue, "update", [this, batch](const gpu::Execution& execution) {
    solver_.launch(execution, batch);
  });
}

template <int D>
solvers::Status DevicePatches<D>::inspect(bool enforces) {
  auto batch = of_all_leaves(solvers::InspectBatch());
  batch.status = status_.data();
  batch.enforces = enforces;
  launches_.launch("inspect", solvers::ResidentBatch(batch));
  return status();
}

template <int D>
solvers::Status DevicePatches<D>::status() {
  return merge(patches_.data(), status_.data(), leaf_.data());
}

template <int D>
solvers::Status DevicePatches<D>::merge(const solvers::DevicePatch* patches,
                                        const solvers::PatchStatus* status, const std::int32_t* leaf) {
  auto batch = of_all_leaves(solvers::ReduceBatch());
  batch.patches = patches;
  batch.status = status;
  batch.leaf = leaf;
  batch.merged = merged_.data();
  launches_.launch("reduce", solvers::GeneralBatch(batch));
  *result_ = {};
  if (leaves_ > 0) launches_.copy_out(result_, merged_.data(), 1);
  launches_.wait_for_all();
  return *result_;
}

template class DevicePatches<2>;
template class DevicePatches<3>;

}  // namespace meander::mesh
