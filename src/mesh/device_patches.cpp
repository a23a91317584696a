// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/device_patches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "base/timer.hpp"
#include "base/trace.hpp"

namespace meander::mesh {

template <int D>
DevicePatches<D>::DevicePatches(const solvers::Solver& solver, const solvers::PatchLayout& layout,
                                const BoundaryFill<D>& boundaries, gpu::Device& device, gpu::Resource& memory,
                                std::pmr::memory_resource& host_memory, bool in_place)
    : solver_(solver),
      layout_(layout),
      boundaries_(boundaries),
      memory_(memory),
      launches_{solver, layout, device, device.create_queue(), counts_, host_memory, in_place},
      border_launches_{solver, layout, device, device.create_urgent_queue(), counts_, host_memory, in_place},
      next_(device, memory),
      moved_(device, memory),
      reflux_(launches_, border_launches_, memory, DeviceReflux<D>::Fine::one_step),
      step_data_(device, memory),
      scratch_(device, memory),
      border_scratch_(device, memory),
      patches_(device, memory, host_memory),
      status_(device, memory),
      leaf_(device, memory),
      merged_(device, memory),
      moves_{{device, memory}, {device, memory}, {device, memory}},
      halos_(launches_, border_launches_, boundaries, memory, host_memory),
      readings_(launches_, memory, host_memory) {
  const std::string& kind = device.properties().kind;
  if (!solver.runs_on(kind) || !solver.resides_on(kind))
    throw InputError(fmt::format("{} has no kernels for patches that live on {}", solver.traits().name,
                                 device.properties().name));
  // No byte of it is ever copied that nothing has written, be it padding.
  merged_.upload(launches_.queue, std::vector<solvers::Status>(solvers::ReduceBatch::lanes));
}

template <int D>
DevicePatches<D>::~DevicePatches() {
  for (const DeviceLaunches* launches : {&launches_, &border_launches_})
    launches->device.settle(gpu::mark(launches->queue));
  for (const Chunk& chunk : chunks_) memory_.deallocate_sync(chunk.memory, chunk.bytes);
  for (const DeviceLaunches* launches : {&launches_, &border_launches_})
    launches->device.destroy_queue(launches->queue);
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
void DevicePatches<D>::rebuild(const Mesh& mesh, const ThreadTeam& team) {
  const Timer timer(launches_.counts.moved, "tables of the device");
  // Work with the old tables has ended.
  launches_.device.synchronize(launches_.queue);
  launches_.device.synchronize(border_launches_.queue);
  ++launches_.counts.rebuilds;
  leaves_ = mesh.exchange.order().size();
  border_ = mesh.exchange.border();
  other_halos_.reset();
  halos_.rebuild(
      mesh.exchange.halos(), mesh.view, mesh.patches, mesh.exchange.order(),
      [&](std::size_t leaf) { return slot(mesh.slots[leaf]); }, team);
  upload_patches(mesh, team);
}

template <int D>
void DevicePatches<D>::upload_patches(const Mesh& mesh, const ThreadTeam& team) {
  const gpu::Queue queue = launches_.queue;
  const bool stages = solver_.kernels_of_launch().stage_new_interior;
  const auto interior = static_cast<std::size_t>(layout_.volumes() * layout_.unknowns);
  if (stages) next_.resize(queue, leaves_ * interior);
  scratch_.resize(queue, solver_.scratch_bytes(layout_, static_cast<int>(leaves_)));
  border_scratch_.resize(border_launches_.queue, solver_.scratch_bytes(layout_, static_cast<int>(border_)));
  status_.resize(queue, leaves_);
  const std::span<solvers::DevicePatch> patches = patches_.stage(queue, leaves_);
  team.for_chunks(leaves_, [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t index = begin; index < end; ++index) {
      const auto leaf = static_cast<std::size_t>(mesh.exchange.order()[index]);
      patches[index] = entry(mesh.patches[leaf], slot(mesh.slots[leaf]),
                             stages ? next_.data() + index * interior : nullptr,
                             mesh.view.neighbours().cells()[leaf].level);
    }
  });
  radiates_ = std::ranges::any_of(patches, [](const auto& patch) { return patch.radiative != 0; });
  if (solver_.traits().conservative)
    reflux_.rebuild(mesh.exchange.fluxes(), mesh.patches, patches, mesh.exchange.order_index(),
                    mesh.exchange.border());
  launches_.submit(patches_);
  launches_.upload(leaf_, {mesh.exchange.order().begin(), mesh.exchange.order().end()});
  readings_.rebuild(patches_.data(), mesh.exchange.order(), mesh.exchange.order_index());
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

namespace {

// Two page-locked buffers for items of equal size, used in turn: the host fills or empties one while the device copies
// the other.
class Relay {
 public:
  Relay(DeviceLaunches& launches, std::pmr::memory_resource& memory, std::size_t items, std::size_t doubles)
      : launches_(launches), doubles_(doubles) {
    // Small transfers take several turns, too: so does every test.
    constexpr std::size_t most = (std::size_t{64} << 20) / sizeof(double);
    in_each_ = std::max<std::size_t>(std::min(most / doubles, items / 8), 1);
    for (parallel::MessageBuffer& buffer : buffers_) buffer = {memory, in_each_ * doubles};
  }
  std::size_t in_each() const { return in_each_; }
  double* at(std::size_t item) { return buffers_[buffer_of(item)].data() + item % in_each_ * doubles_; }
  // After the last copy to or from the buffer that holds this item.
  void record(std::size_t item) { copied_[buffer_of(item)] = launches_.device.record(launches_.queue); }
  void wait(std::size_t item) { launches_.device.wait(copied_[buffer_of(item)]); }

 private:
  std::size_t buffer_of(std::size_t item) const { return item / in_each_ % 2; }

  DeviceLaunches& launches_;
  std::size_t doubles_, in_each_;
  parallel::MessageBuffer buffers_[2];
  gpu::Event copied_[2];
};

}  // namespace

template <int D>
void DevicePatches<D>::send(std::span<const int> slots, std::span<double* const> host, std::ptrdiff_t first,
                            std::size_t doubles) {
  if (slots.empty() || doubles == 0) return;
  const Timer timer(launches_.counts.moved, "send patches", static_cast<std::int64_t>(slots.size()));
  Relay relay(launches_, launches_.host_memory, slots.size(), doubles);
  for (std::size_t begin = 0; begin < slots.size(); begin += relay.in_each()) {
    relay.wait(begin);
    for (std::size_t i = begin; i < std::min(begin + relay.in_each(), slots.size()); ++i) {
      std::copy_n(host[i] + first, doubles, relay.at(i));
      launches_.copy_in(slot(slots[i]) + first, relay.at(i), doubles);
    }
    relay.record(begin);
  }
  launches_.device.synchronize(launches_.queue);
}

template <int D>
void DevicePatches<D>::send(std::span<const int> slots, std::span<double* const> host) {
  send(slots, host, 0, static_cast<std::size_t>(layout_.slot_size()));
}

template <int D>
void DevicePatches<D>::send_fields(std::span<const int> slots, std::span<double* const> host) {
  send(slots, host, layout_.at(layout_.unknowns, -layout_.h, -layout_.h, -layout_.h),
       static_cast<std::size_t>(layout_.fields * layout_.unknown_stride()));
}

template <int D>
void DevicePatches<D>::fetch(std::span<const int> slots, std::span<double* const> host) {
  if (slots.empty()) return;
  const Timer timer(launches_.counts.waited, "bring home", static_cast<std::int64_t>(slots.size()));
  const auto doubles = static_cast<std::size_t>(layout_.slot_size());
  Relay relay(launches_, launches_.host_memory, slots.size(), doubles);
  const std::size_t each = relay.in_each();
  for (std::size_t begin = 0; begin < slots.size() + each; begin += each) {
    if (begin < slots.size()) {
      for (std::size_t i = begin; i < std::min(begin + each, slots.size()); ++i)
        launches_.copy_out(relay.at(i), slot(slots[i]), doubles);
      relay.record(begin);
    }
    if (begin < each) continue;
    relay.wait(begin - each);
    for (std::size_t i = begin - each; i < std::min(begin, slots.size()); ++i)
      std::copy_n(relay.at(i), doubles, host[i]);
  }
}

template <int D>
void DevicePatches<D>::begin(const Stage& stage) {
  stage_ = stage;
  ++launches_.counts.stages;
  if (stage.number > 0) return;
  const auto bytes = solver_.step_bytes();
  if (bytes.empty()) return;
  launches_.wait(step_data_sent_);  // with local steps, the device may still be in the stage before
  const std::size_t doubles = doubles_for(bytes.size());
  if (doubles > step_data_here_.size()) step_data_here_ = {launches_.host_memory, doubles};
  std::ranges::copy(bytes, reinterpret_cast<std::byte*>(step_data_here_.data()));
  step_data_.resize(launches_.queue, bytes.size());
  launches_.copy_in(step_data_.data(), reinterpret_cast<const std::byte*>(step_data_here_.data()),
                    bytes.size());
  step_data_sent_ = launches_.device.record(launches_.queue);
}

template <int D>
auto DevicePatches<D>::range(LeafGroup group) const -> Range {
  return group == LeafGroup::border ? Range{0, border_} : Range{border_, leaves_};
}

template <int D>
void DevicePatches<D>::update(LeafGroup group) {
  const Range leaves = range(group);
  const bool is_border = group == LeafGroup::border;
  if (is_border && border_ > 0) border_launches_.follow(launches_);
  update(is_border ? border_launches_ : launches_, is_border ? border_scratch_ : scratch_,
         patches_.data() + leaves.begin, status_.data() + leaves.begin, leaves.end - leaves.begin, stage_);
  if (is_border && border_ > 0) border_done_ = launches_.device.record(border_launches_.queue);
}

template <int D>
void DevicePatches<D>::reflux(LeafGroup group) {
  using Leaves = typename DeviceReflux<D>::Leaves;
  const bool is_border = group == LeafGroup::border;
  if (!is_border) join_border();
  reflux_.correct(is_border ? Leaves::border : Leaves::others, status_.data(), stage_.dt);
  if (is_border && border_ > 0) border_done_ = launches_.device.record(border_launches_.queue);
}

template <int D>
void DevicePatches<D>::fill_local(double t, ThreadTeam& team) {
  join_border();
  halos_.fill_local(t, team);
}

template <int D>
void DevicePatches<D>::join_border() {
  if (border_ > 0) launches_.device.wait(launches_.queue, border_done_);
}

template <int D>
void DevicePatches<D>::update(const solvers::DevicePatch* patches, solvers::PatchStatus* status,
                              std::size_t count, const Stage& stage) {
  update(launches_, scratch_, patches, status, count, stage);
}

template <int D>
void DevicePatches<D>::update(DeviceLaunches& launches, const Array<std::byte>& scratch,
                              const solvers::DevicePatch* patches, solvers::PatchStatus* status,
                              std::size_t count, const Stage& stage) {
  if (count == 0) return;
  solvers::DeviceBatch batch;
  batch.count = static_cast<int>(count);
  batch.patches = patches;
  batch.status = status;
  if (step_data_.size() > 0) batch.step_data = step_data_.data();
  if (scratch.size() > 0) batch.scratch = scratch.data();
  batch.layout = layout_;
  batch.radiates = radiates_;
  batch.in_place = true;
  batch.stage = stage.number;
  batch.t = stage.t;
  batch.dt = stage.dt;
  const bool in_one_region = launches.device.properties().kind == "openmp";
  launches.counts.launches += in_one_region ? 1 : solver_.kernels_of_launch().count;
  launches.device.launch(launches.queue, "update", [this, batch](const gpu::Execution& execution) {
    solver_.launch(execution, batch);
  });
}

template <int D>
solvers::Status DevicePatches<D>::inspect(bool enforces) {
  auto batch = readings_.of_all_leaves(solvers::InspectBatch());
  batch.status = status_.data();
  batch.enforces = enforces;
  launches_.launch("inspect", solvers::ResidentBatch(batch));
  return status();
}

template <int D>
solvers::Status DevicePatches<D>::status() {
  join_border();
  return merge(patches_.data(), status_.data(), leaf_.data());
}

template <int D>
solvers::Status DevicePatches<D>::merge(const solvers::DevicePatch* patches,
                                        const solvers::PatchStatus* status, const std::int32_t* leaf) {
  auto batch = readings_.of_all_leaves(solvers::ReduceBatch());
  batch.patches = patches;
  batch.status = status;
  batch.leaf = leaf;
  batch.merged = merged_.data();
  launches_.launch("reduce", solvers::GeneralBatch(batch));
  return leaves_ > 0 ? *readings_.result(merged_, 1) : solvers::Status();
}

// The state of new leaves on a device, by the kernel that fills halos. A parent shares its slot with a child:
// the first launch writes to memory of its own what the second one needs.

namespace {

using solvers::FillOp;

template <int D>
void set_cube(FillOp& op, int lower, int extent) {
  for (std::size_t a = 0; a < D; ++a) {
    op.lower[a] = static_cast<std::int16_t>(lower);
    op.extent[a] = static_cast<std::int16_t>(extent);
  }
}

}  // namespace

template <int D>
void DevicePatches<D>::plan_other_halos(HaloExchange<D>& exchange, const Mesh& mesh, const ThreadTeam& team) {
  forget_other_halos();
  other_halos_ =
      std::make_unique<DeviceHalos<D>>(launches_, launches_, boundaries_, memory_, launches_.host_memory);
  other_halos_->rebuild(
      exchange, mesh.view, mesh.patches, mesh.exchange.order(),
      [&](std::size_t leaf) { return slot(mesh.slots[leaf]); }, team);
}

template <int D>
void DevicePatches<D>::forget_other_halos() {
  if (!other_halos_) return;
  launches_.device.synchronize(launches_.queue);
  other_halos_.reset();
}

template <int D>
void DevicePatches<D>::move(Moves moves, const char* name) {
  const gpu::Queue queue = launches_.queue;
  launches_.device.synchronize(queue);  // the tables of the launch before
  launches_.upload(moves_.targets, moves.targets);
  launches_.upload(moves_.ops, moves.ops);
  launches_.upload(moves_.parts, moves.parts);
  solvers::FillBatch batch;
  batch.count = static_cast<int>(moves_.targets.size());
  batch.targets = moves_.targets.data();
  batch.ops = moves_.ops.data();
  batch.parts = moves_.parts.data();
  batch.layout = layout_;
  batch.prolongation = solver_.traits().prolongation;
  launches_.launch(name, solvers::ResidentBatch(batch));
  if (layout_.carried > 0) launches_.launch(name, solvers::FieldBatch(solvers::CarriedBatch{batch}));
}

template <int D>
double* DevicePatches<D>::slots_beside(std::size_t leaves) {
  launches_.device.synchronize(launches_.queue);
  moved_.resize(launches_.queue, leaves * static_cast<std::size_t>(layout_.slot_size()));
  return moved_.data();
}

template <int D>
void DevicePatches<D>::coarsen(std::span<const Coarsened> leaves) {
  if (leaves.empty()) return;
  const auto slot_size = static_cast<std::size_t>(layout_.slot_size());
  double* const beside = slots_beside(leaves.size());
  Moves restricted, stored;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Coarsened& leaf = leaves[i];
    FillOp& op = restricted.add(beside + i * slot_size);
    op.kind = FillOp::Kind::restrict_parts;
    op.first_part = static_cast<std::int32_t>(restricted.parts.size());
    op.parts = static_cast<std::int16_t>(leaf.children.size());
    set_cube<D>(op, 0, layout_.p);
    for (std::size_t k = 0; k < leaf.children.size(); ++k) {
      solvers::FillPart& part = restricted.parts.emplace_back();
      part.from = slot(leaf.children[k]);
      for (std::size_t a = 0; a < D; ++a) part.child[a] = static_cast<std::int8_t>(leaf.child[k][a]);
    }
    FillOp& copy = stored.add(slot(leaf.slot));
    copy.source = beside + i * slot_size;
    set_cube<D>(copy, 0, layout_.p);
  }
  move(std::move(restricted), "restrict leaves");
  move(std::move(stored), "store leaves");
}

template <int D>
void DevicePatches<D>::refine(std::span<const Refined> leaves) {
  if (leaves.empty()) return;
  const auto slot_size = static_cast<std::size_t>(layout_.slot_size());
  double* const beside = slots_beside(leaves.size());
  Moves copied, prolonged;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    FillOp& copy = copied.add(beside + i * slot_size);
    copy.source = slot(leaves[i].parent);
    set_cube<D>(copy, -layout_.h, layout_.edge());  // point values are prolonged from the halo, too
    for (std::size_t k = 0; k < leaves[i].children.size(); ++k) {
      FillOp& op = prolonged.add(slot(leaves[i].children[k]));
      op.kind = FillOp::Kind::prolong;
      op.source = beside + i * slot_size;
      set_cube<D>(op, 0, layout_.p);
      for (std::size_t a = 0; a < D; ++a)
        op.shift[a] = static_cast<std::int16_t>(leaves[i].child[k][a] * layout_.p);
    }
  }
  move(std::move(copied), "copy parents");
  move(std::move(prolonged), "prolong leaves");
}

template class DevicePatches<2>;
template class DevicePatches<3>;

}  // namespace meander::mesh
