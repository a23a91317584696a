// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "offload/batch_execution.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>

#include "base/trace.hpp"
#include "solvers/patch_copy.hpp"

namespace meander::offload {
namespace {

constexpr std::size_t line = 64;  // every block of a buffer begins at a cache line

std::size_t lines(std::size_t bytes) {
  return (bytes + line - 1) / line * line;
}

std::size_t slot_bytes(const UpdateCall& call) {
  return static_cast<std::size_t>(call.layout.slot_size()) * sizeof(double);
}

std::size_t next_bytes(const UpdateCall& call) {
  return static_cast<std::size_t>(call.layout.volumes() * call.layout.unknowns) * sizeof(double);
}

std::size_t stage_bytes(const UpdateCall& call) {
  return static_cast<std::size_t>(call.solver->traits().stage_blocks * call.layout.stage_block_size()) *
         sizeof(double);
}

std::size_t flux_bytes(const UpdateCall& call) {
  return static_cast<std::size_t>(call.layout.face_flux_size()) * sizeof(double);
}

double* at(void* base, std::size_t offset) {
  return reinterpret_cast<double*>(static_cast<char*>(base) + offset);
}

// Copies between the interior of a slot and the block of new states.
void pack_interior(const solvers::PatchLayout& layout, const double* slot, double* packed) {
  const int p = layout.p;
  if (layout.dim == 3) {
    solvers::pack<3>(layout, slot, {{0, 0, 0}, {p, p, p}}, packed);
  } else {
    solvers::pack<2>(layout, slot, {{0, 0}, {p, p}}, packed);
  }
}
void unpack_interior(const solvers::PatchLayout& layout, double* slot, const double* packed) {
  const int p = layout.p;
  if (layout.dim == 3) {
    solvers::unpack<3>(layout, slot, {{0, 0, 0}, {p, p, p}}, packed);
  } else {
    solvers::unpack<2>(layout, slot, {{0, 0}, {p, p}}, packed);
  }
}

}  // namespace

std::size_t batch_bytes(const UpdateCall& call, std::size_t patches) {
  const std::size_t each = sizeof(solvers::DevicePatch) + lines(slot_bytes(call)) + stage_bytes(call) +
                           lines(next_bytes(call)) + sizeof(solvers::PatchStatus);
  return patches * each + call.solver->step_bytes().size() +
         call.solver->scratch_bytes(call.layout, static_cast<int>(patches));
}

BatchExecution::BatchExecution(gpu::Device& device, gpu::Strategy& strategy, bool block_kernels)
    : device_(device), strategy_(strategy), block_kernels_(block_kernels), queue_(device.create_queue()) {}

BatchExecution::~BatchExecution() {
  abandon();
  device_.destroy_queue(queue_);
}

double BatchExecution::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

// Lays out the buffer such that one copy each way suffices: first the data sent, last the data fetched, and
// between them the stage blocks, which may be both. Halos are not fetched.
std::size_t BatchExecution::arrange(SlotCopy copy) {
  const std::size_t count = tasks_.size();
  offsets_.assign(count, {});
  std::size_t end = 0;
  const auto reserve = [&end](std::size_t bytes) {
    const std::size_t begin = end;
    end += lines(bytes);
    return begin;
  };
  reserve(count * sizeof(solvers::DevicePatch));
  step_data_at_ = reserve(step_data_.size());
  if (copy != SlotCopy::none) {
    for (PatchOffsets& of_patch : offsets_) of_patch.slot = reserve(slot_bytes(call_));
  }
  const std::size_t stages_at = end;
  for (std::size_t i = 0; i < count; ++i) {
    if (tasks_[i].patch->stages != nullptr) offsets_[i].stages = reserve(stage_bytes(call_));
  }
  sent_ = {0, reads_stages() ? end : stages_at};
  fetched_.begin = keeps_stages() ? stages_at : end;
  for (std::size_t i = 0; i < count; ++i) {
    offsets_[i].next = reserve(next_bytes(call_));
    for (int face = 0; face < 6; ++face) {
      if (tasks_[i].patch->flux[face] != nullptr) offsets_[i].flux[face] = reserve(flux_bytes(call_));
    }
  }
  status_at_ = reserve(count * sizeof(solvers::PatchStatus));
  fetched_.end = end;
  scratch_bytes_ = call_.solver->scratch_bytes(call_.layout, static_cast<int>(count));
  scratch_at_ = reserve(scratch_bytes_);
  return end;
}

// Number of slots from `first` on that are adjacent in memory.
std::size_t BatchExecution::adjacent_slots(std::size_t first) const {
  const std::ptrdiff_t slot = call_.layout.slot_size();
  std::size_t end = first + 1;
  if (slot_bytes(call_) != lines(slot_bytes(call_))) return 1;
  while (end < tasks_.size() && tasks_[end].patch->q == tasks_[end - 1].patch->q + slot) ++end;
  return end - first;
}

// Direct where the device copies from the slots as fast as from the buffer, and the adjacent pieces are large
// enough for a copy each. None where the buffer, too, is host memory that the device reads.
auto BatchExecution::slot_copy() const -> SlotCopy {
  constexpr std::size_t least_piece = std::size_t{1} << 15;
  if (call_.reads_slots && strategy_.memory().place().space == gpu::Space::pinned) return SlotCopy::none;
  if (call_.patches == gpu::Space::host || strategy_.shares_memory()) return SlotCopy::buffered;
  std::size_t pieces = 0;
  for (std::size_t i = 0; i < tasks_.size(); i += adjacent_slots(i)) ++pieces;
  return tasks_.size() * slot_bytes(call_) >= pieces * least_piece ? SlotCopy::direct : SlotCopy::buffered;
}

void BatchExecution::send(SlotCopy copy) {
  if (copy != SlotCopy::direct) return strategy_.send(queue_, buffer_, sent_.begin, sent_.end - sent_.begin);
  const std::size_t head = offsets_.front().slot, tail = offsets_.back().slot + lines(slot_bytes(call_));
  strategy_.send(queue_, buffer_, sent_.begin, head - sent_.begin);
  for (std::size_t i = 0, count = 0; i < tasks_.size(); i += count) {
    count = adjacent_slots(i);
    device_.copy(queue_, gpu::Copy::in, at(buffer_.device, offsets_[i].slot), tasks_[i].patch->q,
                 count * slot_bytes(call_));
  }
  if (sent_.end > tail) strategy_.send(queue_, buffer_, tail, sent_.end - tail);
}

void BatchExecution::fill_buffer(SlotCopy copy) {
  auto* const patches = static_cast<solvers::DevicePatch*>(buffer_.host);
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const solvers::PatchTask& task = *tasks_[i].patch;
    const PatchOffsets& offsets = offsets_[i];
    solvers::DevicePatch& patch = *new (patches + i) solvers::DevicePatch;
    if (copy == SlotCopy::buffered) std::memcpy(at(buffer_.host, offsets.slot), task.q, slot_bytes(call_));
    patch.q = copy == SlotCopy::none ? task.q : at(buffer_.device, offsets.slot);
    patch.next = at(buffer_.device, offsets.next);
    if (task.stages != nullptr) {
      patch.stages = at(buffer_.device, offsets.stages);
      if (reads_stages()) std::memcpy(at(buffer_.host, offsets.stages), task.stages, stage_bytes(call_));
    }
    std::copy(std::begin(task.lower), std::end(task.lower), patch.lower);
    patch.dx = task.dx;
    patch.radiative = task.radiative;
    for (int face = 0; face < 6; ++face) {
      if (task.flux[face] != nullptr) patch.flux[face] = at(buffer_.device, offsets.flux[face]);
    }
  }
  if (!step_data_.empty()) std::memcpy(at(buffer_.host, step_data_at_), step_data_.data(), step_data_.size());
  batch_ = {};
  batch_.count = static_cast<int>(tasks_.size());
  batch_.radiates = std::any_of(tasks_.begin(), tasks_.end(),
                                [](const EnclaveTask& task) { return task.patch->radiative != 0; });
  batch_.patches = static_cast<const solvers::DevicePatch*>(buffer_.device);
  batch_.status = reinterpret_cast<solvers::PatchStatus*>(at(buffer_.device, status_at_));
  batch_.step_data = step_data_.empty() ? call_.step_data : at(buffer_.device, step_data_at_);
  if (scratch_bytes_ > 0) batch_.scratch = at(buffer_.device, scratch_at_);
  batch_.layout = call_.layout;
  batch_.stage = call_.stage;
  batch_.t = call_.t;
  batch_.dt = call_.dt;
}

void BatchExecution::start(const UpdateCall& call, std::span<const EnclaveTask> tasks) {
  const trace::Scope scope("offload batch", static_cast<std::int64_t>(tasks.size()));
  started_ = std::chrono::steady_clock::now();
  call_ = call;
  tasks_.assign(tasks.begin(), tasks.end());
  step_data_ = call.step_data == nullptr ? call.solver->step_bytes() : std::span<const std::byte>();
  const SlotCopy copy = slot_copy();
  buffer_ = strategy_.acquire(queue_, arrange(copy));
  fill_buffer(copy);
  send(copy);
  device_.launch(queue_, "update", [this](const gpu::Execution& execution) { run(execution); });
  strategy_.fetch(queue_, buffer_, fetched_.begin, fetched_.end - fetched_.begin);
  end_ = device_.record(queue_);
}

void BatchExecution::run(const gpu::Execution& execution) {
  if (!execution.on_host()) return call_.solver->launch(execution, batch_);
  execution.address(static_cast<char*>(buffer_.device), buffer_.bytes);  // managed memory migrates as a whole
  if (block_kernels_) return call_.solver->launch(execution, batch_);
  update_in_place(execution);
}

void BatchExecution::update_in_place(const gpu::Execution& execution) {
  const solvers::HostView view(execution, batch_, call_.solver->traits().stage_blocks,
                               call_.solver->step_bytes().size(), scratch_bytes_);
  const std::size_t count = tasks_.size(), slot = slot_bytes(call_) / sizeof(double);
  // Slots that are read where they are must not change yet.
  std::vector<double> copies(slot_copy() == SlotCopy::none ? count * slot : 0);
  std::vector<solvers::PatchTask> patches(count);
  for (std::size_t i = 0; i < count; ++i) {
    const solvers::DevicePatch& from = view.batch().patches[i];
    patches[i] = *tasks_[i].patch;
    patches[i].q = const_cast<double*>(from.q);
    if (!copies.empty()) {
      patches[i].q = copies.data() + i * slot;
      std::memcpy(patches[i].q, from.q, slot_bytes(call_));
    }
    patches[i].stages = from.stages;
    std::copy(std::begin(from.flux), std::end(from.flux), patches[i].flux);
  }
  solvers::PatchStatus* const status = view.batch().status;
  std::uninitialized_default_construct_n(status, count);
  call_.solver->update(patches, call_.layout, call_.stage, call_.t, call_.dt, {status, count});
  for (std::size_t i = 0; i < count; ++i)
    pack_interior(call_.layout, patches[i].q, view.batch().patches[i].next);
}

void BatchExecution::finish() {
  device_.wait(end_);
  const trace::Scope scope("write back", static_cast<std::int64_t>(tasks_.size()));
  const auto* const status =
      reinterpret_cast<const solvers::PatchStatus*>(static_cast<const char*>(buffer_.host) + status_at_);
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const solvers::PatchTask& patch = *tasks_[i].patch;
    const PatchOffsets& offsets = offsets_[i];
    unpack_interior(call_.layout, patch.q, at(buffer_.host, offsets.next));
    if (patch.stages != nullptr && keeps_stages())
      std::memcpy(patch.stages, at(buffer_.host, offsets.stages), stage_bytes(call_));
    for (int face = 0; face < 6; ++face) {
      if (patch.flux[face] != nullptr)
        std::memcpy(patch.flux[face], at(buffer_.host, offsets.flux[face]), flux_bytes(call_));
    }
    *tasks_[i].status = status[i];
  }
  release_buffer();
}

void BatchExecution::abandon() noexcept {
  device_.settle(gpu::mark(queue_));
  try {
    device_.synchronize(queue_);
  } catch (const gpu::DeviceError&) {
    // The caller knows it: this error is the reason to abandon the batch.
  }
  release_buffer();
}

void BatchExecution::release_buffer() noexcept {
  if (buffer_.bytes > 0) strategy_.release(queue_, buffer_);
  buffer_ = {};
}

}  // namespace meander::offload
