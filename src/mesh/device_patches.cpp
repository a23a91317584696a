// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/device_patches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/assert.hpp"
#include "base/error.hpp"
#include "base/trace.hpp"

namespace meander::mesh {

template <int D>
DevicePatches<D>::DevicePatches(const solvers::Solver& solver, const solvers::PatchLayout& layout,
                                const BoundaryFill<D>& boundaries, gpu::Device& device, gpu::Resource& memory)
    : solver_(solver),
      layout_(layout),
      boundaries_(boundaries),
      device_(device),
      memory_(memory),
      queue_(device.create_queue()),
      next_(device, memory),
      registers_(device, memory),
      received_(device, memory),
      packed_halos_(device, memory),
      packed_fluxes_(device, memory),
      given_(device, memory),
      signs_(device, memory),
      step_data_(device, memory),
      scratch_(device, memory),
      patches_(device, memory),
      status_(device, memory),
      leaf_(device, memory),
      merged_(device, memory),
      fill_targets_(device, memory),
      fill_ops_(device, memory),
      fill_parts_(device, memory),
      pack_items_(device, memory),
      reflux_targets_(device, memory),
      reflux_faces_(device, memory),
      reflux_parts_(device, memory),
      flux_items_(device, memory) {
  const std::string& kind = device.properties().kind;
  if (!solver.runs_on(kind) || !solver.resides_on(kind))
    throw InputError(fmt::format("{} has no kernels for patches that live on {}", solver.traits().name,
                                 device.properties().name));
  std::vector<double> signs;
  for (int a = 0; a < D; ++a) {
    const auto of_axis = boundaries.signs(a);
    signs.insert(signs.end(), of_axis.begin(), of_axis.end());
  }
  signs_.upload(queue_, std::move(signs));
  merged_.resize(queue_, 1 + solvers::ReduceBatch::lanes);
}

template <int D>
DevicePatches<D>::~DevicePatches() {
  device_.settle(gpu::mark(queue_));
  ghost_pool_.reset();
  for (const Chunk& chunk : chunks_) memory_.deallocate_sync(chunk.memory, chunk.bytes);
  device_.destroy_queue(queue_);
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
  const trace::Scope scope("tables of the device");
  device_.synchronize(queue_);  // uploads of the old tables have ended
  ++counts_.rebuilds;
  reserve(mesh.capacity);
  leaves_ = mesh.order.size();
  border_ = mesh.border;
  geometry_.assign(mesh.patches.begin(), mesh.patches.end());
  registers_.resize(queue_, mesh.fluxes.register_doubles());
  flux_receive_ = mesh.flux_receive;
  received_.resize(queue_, mesh.flux_receive + mesh.halo_receive);
  packed_fluxes_.resize(queue_, mesh.flux_send);
  packed_halos_.resize(queue_, mesh.halo_send);
  upload_patches(mesh);

  const auto ghosts = mesh.halos.ghost_patches();
  ghost_pool_ = std::make_unique<PatchPool>(memory_, static_cast<std::size_t>(layout_.slot_size()));
  ghost_pool_->reserve(ghosts.size());
  for (std::size_t i = 0; i < ghosts.size(); ++i) ghost_pool_->acquire();
  DevicePlaces places;
  places.slot = [&](std::size_t leaf) {
    if (leaf < mesh.slots.size()) return slot(mesh.slots[leaf]);
    const auto found = std::ranges::lower_bound(ghosts, static_cast<std::int32_t>(leaf));
    MEANDER_ASSERT(found != ghosts.end() && *found == static_cast<std::int32_t>(leaf));
    return (*ghost_pool_)[static_cast<int>(found - ghosts.begin())];
  };
  places.received = received_.data() + flux_receive_;
  FillTables<D> fills(mesh.halos, mesh.view, boundaries_, mesh.order, layout_.unknowns, places);
  std::copy(std::begin(fills.group_begin), std::end(fills.group_begin), group_begin_);
  given_.resize(queue_, fills.given_doubles);
  fills.place_given(given_.data());
  given_boxes_ = std::move(fills.given);
  given_values_.resize(fills.given_doubles);
  fill_targets_.upload(queue_, std::move(fills.targets));
  fill_ops_.upload(queue_, std::move(fills.ops));
  fill_parts_.upload(queue_, std::move(fills.parts));
  pack_items_.upload(queue_, std::move(fills.outgoing));
  if (!solver_.traits().conservative) return;
  places.received = received_.data();
  RefluxTables<D> refluxes(mesh.fluxes, registers_.data(), mesh.patches, mesh.order_index, mesh.border,
                           places);
  border_targets_ = static_cast<std::size_t>(refluxes.border);
  reflux_targets_.upload(queue_, std::move(refluxes.targets));
  reflux_faces_.upload(queue_, std::move(refluxes.faces));
  reflux_parts_.upload(queue_, std::move(refluxes.parts));
  flux_items_.upload(queue_, std::move(refluxes.outgoing));
}

template <int D>
void DevicePatches<D>::upload_patches(const Mesh& mesh) {
  const bool in_place = solver_.updates_in_place();
  const auto interior = static_cast<std::size_t>(layout_.volumes() * layout_.unknowns);
  if (!in_place) next_.resize(queue_, leaves_ * interior);
  scratch_.resize(queue_, solver_.scratch_bytes(layout_, static_cast<int>(leaves_)));
  status_.resize(queue_, leaves_);
  std::vector<solvers::DevicePatch> patches(leaves_);
  radiates_ = false;
  for (std::size_t index = 0; index < leaves_; ++index) {
    const auto leaf = static_cast<std::size_t>(mesh.order[index]);
    const solvers::PatchTask& task = mesh.patches[leaf];
    solvers::DevicePatch& patch = patches[index];
    double* const own = slot(mesh.slots[leaf]);
    patch.q = own;
    patch.next = in_place ? own : next_.data() + index * interior;
    if (solver_.traits().stage_blocks > 0) patch.stages = own + layout_.slot_size();
    std::copy(std::begin(task.lower), std::end(task.lower), patch.lower);
    patch.dx = task.dx;
    patch.radiative = task.radiative;
    radiates_ = radiates_ || patch.radiative != 0;
  }
  for (const auto& entry : mesh.fluxes.registers()) {
    const auto index = static_cast<std::size_t>(mesh.order_index[static_cast<std::size_t>(entry.leaf)]);
    patches[index].flux[entry.face] = registers_.data() + entry.offset;
  }
  patches_.upload(queue_, std::move(patches));
  leaf_.upload(queue_, {mesh.order.begin(), mesh.order.end()});
}

template <int D>
void DevicePatches<D>::send(std::span<const int> slots, std::span<double* const> host) {
  const trace::Scope scope("send patches", static_cast<std::int64_t>(slots.size()));
  for (std::size_t i = 0; i < slots.size(); ++i)
    copy(gpu::Copy::in, slot(slots[i]), host[i], static_cast<std::size_t>(layout_.slot_size()));
  device_.synchronize(queue_);
}

template <int D>
void DevicePatches<D>::fetch(std::span<const int> slots, std::span<double* const> host) {
  const trace::Scope scope("bring home", static_cast<std::int64_t>(slots.size()));
  for (std::size_t i = 0; i < slots.size(); ++i)
    copy(gpu::Copy::out, host[i], slot(slots[i]), static_cast<std::size_t>(layout_.slot_size()));
  device_.synchronize(queue_);
}

template <int D>
void DevicePatches<D>::copy(gpu::Copy direction, void* to, const void* from, std::size_t doubles) {
  const std::size_t bytes = doubles * sizeof(double);
  (direction == gpu::Copy::in ? counts_.bytes_in : counts_.bytes_out) += static_cast<std::int64_t>(bytes);
  if (bytes > 0) device_.copy(queue_, direction, to, from, bytes);
}

template <int D>
void DevicePatches<D>::launch(const char* name, const solvers::ResidentBatch& batch) {
  if (std::visit([](const auto& any) { return any.count == 0; }, batch)) return;
  ++counts_.launches;
  device_.launch(queue_, name, [this, batch](const gpu::Execution& execution) {
    solver_.launch_resident(execution, {batch});
  });
}

template <int D>
void DevicePatches<D>::launch(const char* name, const solvers::GeneralBatch& batch) {
  if (std::visit([](const auto& any) { return any.count == 0; }, batch)) return;
  ++counts_.launches;
  device_.launch(queue_, name,
                 [batch](const gpu::Execution& execution) { solvers::launch_general(execution, batch); });
}

template <int D>
void DevicePatches<D>::begin(const Stage& stage) {
  stage_ = stage;
  ++counts_.stages;
  device_.wait(received_halos_);  // the next messages overwrite the buffer from which they were copied
  if (stage.number > 0) return;
  const auto bytes = solver_.step_bytes();
  step_data_.upload(queue_, {bytes.begin(), bytes.end()});
  counts_.bytes_in += static_cast<std::int64_t>(bytes.size());
}

template <int D>
auto DevicePatches<D>::range(LeafGroup group) const -> Range {
  return group == LeafGroup::border ? Range{0, border_} : Range{border_, leaves_};
}

template <int D>
void DevicePatches<D>::update(LeafGroup group) {
  const Range leaves = range(group);
  if (leaves.begin == leaves.end) return;
  const bool in_place = solver_.updates_in_place();
  solvers::DeviceBatch batch;
  batch.count = static_cast<int>(leaves.end - leaves.begin);
  batch.patches = patches_.data() + leaves.begin;
  batch.status = status_.data() + leaves.begin;
  if (step_data_.size() > 0) batch.step_data = step_data_.data();
  if (scratch_.size() > 0) batch.scratch = scratch_.data();
  batch.layout = layout_;
  batch.radiates = radiates_;
  batch.in_place = in_place;
  batch.stage = stage_.number;
  batch.t = stage_.t;
  batch.dt = stage_.dt;
  ++counts_.launches;
  device_.launch(queue_, "update",
                 [this, batch](const gpu::Execution& execution) { solver_.launch(execution, batch); });
  if (in_place) return;
  solvers::StoreBatch store;
  store.count = batch.count;
  store.patches = batch.patches;
  store.layout = layout_;
  launch("store", solvers::GeneralBatch(store));
}

template <int D>
void DevicePatches<D>::pack_fluxes(double* to) {
  solvers::FluxPackBatch batch;
  batch.count = static_cast<int>(flux_items_.size());
  batch.items = flux_items_.data();
  batch.buffer = packed_fluxes_.data();
  batch.layout = layout_;
  launch("pack fluxes", solvers::GeneralBatch(batch));
  copy(gpu::Copy::out, to, packed_fluxes_.data(), packed_fluxes_.size());
  packed_ = device_.record(queue_);
}

template <int D>
void DevicePatches<D>::pack_halos(double* to) {
  solvers::PackBatch batch;
  batch.count = static_cast<int>(pack_items_.size());
  batch.items = pack_items_.data();
  batch.buffer = packed_halos_.data();
  batch.layout = layout_;
  launch("pack halos", solvers::GeneralBatch(batch));
  copy(gpu::Copy::out, to, packed_halos_.data(), packed_halos_.size());
  packed_ = device_.record(queue_);
}

template <int D>
void DevicePatches<D>::wait_for_packed() {
  device_.wait(packed_);
}

template <int D>
void DevicePatches<D>::receive_fluxes(const double* from) {
  copy(gpu::Copy::in, received_.data(), from, flux_receive_);
}

template <int D>
void DevicePatches<D>::receive_halos(const double* from) {
  copy(gpu::Copy::in, received_.data() + flux_receive_, from, received_.size() - flux_receive_);
  received_halos_ = device_.record(queue_);
}

template <int D>
void DevicePatches<D>::reflux(LeafGroup group) {
  const bool border = group == LeafGroup::border;
  const std::size_t begin = border ? 0 : border_targets_,
                    end = border ? border_targets_ : reflux_targets_.size();
  solvers::RefluxBatch batch;
  batch.count = static_cast<int>(end - begin);
  batch.targets = reflux_targets_.data() + begin;
  batch.faces = reflux_faces_.data();
  batch.parts = reflux_parts_.data();
  batch.status = status_.data();
  batch.layout = layout_;
  batch.dt = stage_.dt;
  launch("reflux", solvers::ResidentBatch(batch));
}

template <int D>
void DevicePatches<D>::prepare_given(double t, ThreadTeam& team) {
  if (given_boxes_.empty()) return;
  device_.wait(given_sent_);
  team.for_chunks(given_boxes_.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const GivenBox<D>& of = given_boxes_[i];
      boundaries_.pack_given(geometry_[static_cast<std::size_t>(of.leaf)], of.box, t,
                             given_values_.data() + of.offset);
    }
  });
  copy(gpu::Copy::in, given_.data(), given_values_.data(), given_values_.size());
  given_sent_ = device_.record(queue_);
}

template <int D>
void DevicePatches<D>::fill(int group) {
  solvers::FillBatch batch;
  batch.count = group_begin_[group + 1] - group_begin_[group];
  batch.targets = fill_targets_.data() + group_begin_[group];
  batch.ops = fill_ops_.data();
  batch.parts = fill_parts_.data();
  batch.signs = signs_.data();
  batch.layout = layout_;
  batch.prolongation = solver_.traits().prolongation;
  launch("fill halos", solvers::ResidentBatch(batch));
}

template <int D>
void DevicePatches<D>::fill_local() {
  fill(FillTables<D>::first_local);
  fill(FillTables<D>::second_local);
}

template <int D>
void DevicePatches<D>::fill_received() {
  fill(FillTables<D>::ghosts);
  fill(FillTables<D>::first_received);
  fill(FillTables<D>::second_waiting);
}

template <int D>
solvers::MergedStatus DevicePatches<D>::status() {
  solvers::ReduceBatch batch;
  batch.count = static_cast<int>(leaves_);
  batch.patches = patches_.data();
  batch.status = status_.data();
  batch.leaf = leaf_.data();
  batch.layout = layout_;
  batch.merged = merged_.data();
  launch("reduce", solvers::GeneralBatch(batch));
  result_ = {};
  result_.min_crossing = std::numeric_limits<double>::infinity();
  if (leaves_ > 0) {
    device_.copy(queue_, gpu::Copy::out, &result_, merged_.data(), sizeof result_);
    counts_.bytes_out += static_cast<std::int64_t>(sizeof result_);
  }
  device_.synchronize(queue_);
  return result_;
}

template <int D>
std::size_t DevicePatches<D>::bytes() const {
  std::size_t all = ghost_pool_ ? ghost_pool_->capacity() * ghost_pool_->slot_doubles() * sizeof(double) : 0;
  for (const Chunk& chunk : chunks_) all += chunk.bytes;
  const auto add = [&](const auto&... arrays) { ((all += arrays.bytes()), ...); };
  add(next_, registers_, received_, packed_halos_, packed_fluxes_, given_, signs_, step_data_, scratch_,
      patches_, status_, leaf_, merged_, fill_targets_, fill_ops_, fill_parts_, pack_items_, reflux_targets_,
      reflux_faces_, reflux_parts_, flux_items_);
  return all;
}

template class DevicePatches<2>;
template class DevicePatches<3>;

}  // namespace meander::mesh
