// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Execution of one batch on a device: memory, copy in, kernel, copy out. The slots of its patches are read at
// the start, and written after all of it has succeeded, never in between.

#include <chrono>
#include <span>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/strategy.hpp"
#include "offload/task_pool.hpp"
#include "solvers/device_batch.hpp"

namespace meander::offload {

// The arguments that all updates of a sweep share. The solver outlives it.
struct UpdateCall {
  const solvers::Solver* solver = nullptr;
  solvers::PatchLayout layout;
  int stage = 0;
  double t = 0, dt = 0;
  gpu::Space patches = gpu::Space::host;  // memory of the slots
  bool reads_slots = false;               // kernels of the device can read the slots where they are
  // Solver::step_bytes() in the device's memory; null: they travel with each batch.
  const void* step_data = nullptr;
};

// Device memory of a batch without flux registers: a lower bound of what it allocates.
std::size_t batch_bytes(const UpdateCall& call, std::size_t patches);

// Runs batches on a queue of its own, one at a time. Not thread-safe: one thread at a time handles it.
class BatchExecution {
 public:
  // Both outlive this. An emulated device runs Solver::update or, with `block_kernels`, the kernels of a GPU:
  // Solver::launch. Throws DeviceError.
  BatchExecution(gpu::Device& device, gpu::Strategy& strategy, bool block_kernels = false);
  ~BatchExecution();
  BatchExecution(const BatchExecution&) = delete;
  BatchExecution& operator=(const BatchExecution&) = delete;

  // Submits the batch and returns without waiting; keeps a copy of the tasks. Throws gpu::OutOfMemory or
  // DeviceError: call abandon().
  void start(const UpdateCall& call, std::span<const EnclaveTask> tasks);
  // Throws DeviceError if the batch has failed: call abandon().
  bool is_over() const { return device_.is_complete(end_); }
  // Waits, then writes slots, stage blocks, flux registers and status. Throws DeviceError before anything is
  // written: call abandon().
  void finish();
  // Waits until no work of the batch runs, and makes the queue fit for the next one. Slots are unchanged.
  void abandon() noexcept;

  // Waits until no submitted work runs. Requires that no batch is in flight; work of earlier batches should
  // have ended.
  void settle() noexcept { device_.settle(gpu::mark(queue_)); }

  std::span<const EnclaveTask> tasks() const { return tasks_; }
  double seconds() const;  // since start()

 private:
  // Offsets of the data of one patch in the buffer, in bytes.
  struct PatchOffsets {
    std::size_t slot = 0, stages = 0, next = 0, flux[6] = {};
  };
  struct ByteRange {
    std::size_t begin = 0, end = 0;
  };
  // Slots are copied to the device by way of the host side of the buffer, or directly, or kernels read them
  // where they are.
  enum class SlotCopy { buffered, direct, none };
  std::size_t arrange(SlotCopy copy);
  SlotCopy slot_copy() const;
  std::size_t adjacent_slots(std::size_t first) const;
  void fill_buffer(SlotCopy copy);
  void send(SlotCopy copy);
  void run(const gpu::Execution& execution);
  void update_in_place(const gpu::Execution& execution);
  void release_buffer() noexcept;
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
  std::vector<PatchOffsets> offsets_;
  std::span<const std::byte> step_data_;  // that travel with the batch
  std::size_t step_data_at_ = 0, status_at_ = 0, scratch_at_ = 0, scratch_bytes_ = 0;
  ByteRange sent_, fetched_;
  solvers::DeviceBatch batch_;  // with addresses of the device
  std::chrono::steady_clock::time_point started_;
};

}  // namespace meander::offload
