// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/flight.hpp"

#include <cstring>
#include <memory>
#include <type_traits>

#include "base/trace.hpp"

namespace meander::tasks {
namespace {

constexpr std::size_t line = 64;  // slots and what else is in a buffer begin at cache lines

std::size_t lines(std::size_t bytes) {
  return (bytes + line - 1) / line * line;
}

std::size_t slot_bytes(const UpdateCall& call) {
  return static_cast<std::size_t>(call.layout.slot_size()) * sizeof(double);
}

std::size_t stage_bytes(const UpdateCall& call) {
  const auto block =
      lines(static_cast<std::size_t>(call.layout.volumes() * call.layout.unknowns) * sizeof(double));
  return static_cast<std::size_t>(call.solver->traits().stage_blocks) * block;
}

std::size_t flux_bytes(const UpdateCall& call) {
  return static_cast<std::size_t>(call.layout.face_flux_size()) * sizeof(double);
}

double* at(void* base, std::size_t offset) {
  return reinterpret_cast<double*>(static_cast<char*>(base) + offset);
}

}  // namespace

std::size_t batch_bytes(const UpdateCall& call, std::size_t patches) {
  return patches * (lines(slot_bytes(call)) + stage_bytes(call) + sizeof(solvers::PatchStatus));
}

Flight::Flight(gpu::Device& device, gpu::Strategy& strategy)
    : device_(device), strategy_(strategy), queue_(device.create_queue()) {}

Flight::~Flight() {
  abandon();
  device_.destroy_queue(queue_);
}

double Flight::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

// Inputs first, so that one copy takes them all; flux registers and status only come back.
std::size_t Flight::arrange() {
  seats_.assign(tasks_.size(), {});
  std::size_t end = 0;
  const auto place = [&end](std::size_t bytes) {
    const std::size_t begin = end;
    end += lines(bytes);
    return begin;
  };
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    seats_[i].slot = place(slot_bytes(call_));
    if (tasks_[i].patch->stages != nullptr) seats_[i].stages = place(stage_bytes(call_));
  }
  input_bytes_ = end;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    for (int face = 0; face < 6; ++face) {
      if (tasks_[i].patch->flux[face] != nullptr) seats_[i].flux[face] = place(flux_bytes(call_));
    }
  }
  status_at_ = place(tasks_.size() * sizeof(solvers::PatchStatus));
  return end;
}

void Flight::stage_in() {
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const solvers::PatchTask& patch = *tasks_[i].patch;
    std::memcpy(at(buffer_.host, seats_[i].slot), patch.q, slot_bytes(call_));
    if (patch.stages != nullptr)
      std::memcpy(at(buffer_.host, seats_[i].stages), patch.stages, stage_bytes(call_));
  }
}

void Flight::start(const UpdateCall& call, std::span<const EnclaveTask> tasks) {
  const trace::Scope scope("offload batch", static_cast<std::int64_t>(tasks.size()));
  started_ = std::chrono::steady_clock::now();
  call_ = call;
  tasks_.assign(tasks.begin(), tasks.end());
  on_device_.resize(tasks_.size());
  buffer_ = strategy_.acquire(queue_, arrange());
  stage_in();
  strategy_.send(queue_, buffer_, 0, input_bytes_);
  device_.launch(queue_, "update", [this](const gpu::Execution& execution) { run(execution); });
  strategy_.fetch(queue_, buffer_, 0, buffer_.bytes);
  end_ = device_.record(queue_);
}

void Flight::run(const gpu::Execution& execution) {
  char* const base = execution.address(static_cast<char*>(buffer_.device), buffer_.bytes);
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const Seat& seat = seats_[i];
    solvers::PatchTask& patch = on_device_[i] = *tasks_[i].patch;
    patch.q = at(base, seat.slot);
    if (patch.stages != nullptr) patch.stages = at(base, seat.stages);
    for (int face = 0; face < 6; ++face) {
      if (patch.flux[face] != nullptr) patch.flux[face] = at(base, seat.flux[face]);
    }
  }
  auto* const status = reinterpret_cast<solvers::PatchStatus*>(base + status_at_);
  std::uninitialized_default_construct_n(status, tasks_.size());
  call_.solver->update(on_device_, call_.layout, call_.stage, call_.t, call_.dt, {status, tasks_.size()});
}

void Flight::land() {
  device_.wait(end_);
  const trace::Scope scope("write back", static_cast<std::int64_t>(tasks_.size()));
  static_assert(std::is_trivially_copyable_v<solvers::PatchStatus>);
  const auto* const status =
      reinterpret_cast<const solvers::PatchStatus*>(static_cast<const char*>(buffer_.host) + status_at_);
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const solvers::PatchTask& patch = *tasks_[i].patch;
    const Seat& seat = seats_[i];
    std::memcpy(patch.q, at(buffer_.host, seat.slot), slot_bytes(call_));
    if (patch.stages != nullptr) std::memcpy(patch.stages, at(buffer_.host, seat.stages), stage_bytes(call_));
    for (int face = 0; face < 6; ++face) {
      if (patch.flux[face] != nullptr)
        std::memcpy(patch.flux[face], at(buffer_.host, seat.flux[face]), flux_bytes(call_));
    }
    *tasks_[i].status = status[i];
  }
  give_back();
}

void Flight::abandon() noexcept {
  device_.settle(gpu::mark(queue_));
  try {
    device_.synchronize(queue_);
  } catch (const gpu::DeviceError&) {
    // Known already: it is why the batch is given up.
  }
  give_back();
}

void Flight::give_back() noexcept {
  if (buffer_.bytes > 0) strategy_.release(queue_, buffer_);
  buffer_ = {};
}

}  // namespace meander::tasks
