// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One batch on its way through a device: memory, copy in, kernel, copy out. The patches' slots are read when
// it starts and written when all of it has succeeded, never in between.

#include <chrono>
#include <span>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/strategy.hpp"
#include "solvers/device_batch.hpp"
#include "tasks/task_pool.hpp"

namespace meander::tasks {

// What all updates of a sweep have in common. The solver outlives it.
struct UpdateCall {
  const solvers::Solver* solver = nullptr;
  solvers::PatchLayout layout;
  int stage = 0;
  double t = 0, dt = 0;
  gpu::Space patches = gpu::Space::host;  // where slots lie
};

// Device memory for so many patches, without flux registers: the least a batch takes.
std::size_t batch_bytes(const UpdateCall& call, std::size_t patches);

// On one queue of a device, one batch at a time. Not thread-safe: belongs to whoever handles the queue.
class Flight {
 public:
  // Both outlive the flight. On an emulated device, Solver::update is what runs, or with `block_kernels` what
  // a GPU would run: Solver::launch. Throws DeviceError.
  Flight(gpu::Device& device, gpu::Strategy& strategy, bool block_kernels = false);
  ~Flight();
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;

  // Submits the batch, whose tasks are kept; returns without waiting. Throws gpu::OutOfMemory or DeviceError:
  // then abandon().
  void start(const UpdateCall& call, std::span<const EnclaveTask> tasks);
  // Throws DeviceError if it has failed: then abandon().
  bool is_over() const { return device_.is_complete(end_); }
  // Waits, then writes slots, stage blocks, flux registers and status. Throws DeviceError, before anything is
  // written: then abandon().
  void land();
  // Waits until nothing of the batch runs any more, and makes the queue fit for the next one. No slot has
  // changed.
  void abandon() noexcept;

  // Waits until nothing that was submitted runs any more, though nothing should. No batch is in flight.
  void rest() noexcept { device_.settle(gpu::mark(queue_)); }

  std::span<const EnclaveTask> tasks() const { return tasks_; }
  double seconds() const;  // since start()

 private:
  // Where a patch's data lie in the buffer.
  struct Seat {
    std::size_t slot = 0, stages = 0, next = 0, flux[6] = {};
  };
  // From where to where they lie.
  struct Part {
    std::size_t begin = 0, end = 0;
  };
  std::size_t arrange();
  bool copies_from_slots() const;
  std::size_t slots_in_a_row(std::size_t first) const;
  void stage_in(bool slots);
  void send(bool slots);
  void run(const gpu::Execution& execution);
  void update_in_place(const gpu::Execution& execution);
  void give_back() noexcept;
  bool reads_stages() const { return call_.stage > 0; }
  bool keeps_stages() const { return call_.stage + 1 < call_.solver->traits().stages; }

  gpu::Device& device_;
  gpu::Strategy& strategy_;
  const bool block_kernels_;
  gpu::Queue queue_;
  gpu::Event end_;
  gpu::Buffer buffer_;
  UpdateCall call_;
  std::vector<EnclaveTask> tasks_;
  std::vector<Seat> seats_;
  std::span<const std::byte> step_;
  std::size_t step_at_ = 0, status_at_ = 0, scratch_at_ = 0, scratch_bytes_ = 0;
  Part sent_, fetched_;
  solvers::DeviceBatch batch_;  // pointers are the device's
  std::chrono::steady_clock::time_point started_;
};

}  // namespace meander::tasks
