// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The state of the offload engine for each device and each of its queues.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "offload/batch_execution.hpp"
#include "offload/engine.hpp"

namespace meander::offload {

// A device with its memory.
struct Engine::DeviceSlot {
  std::unique_ptr<gpu::Device> device;
  std::unique_ptr<gpu::MemoryCache> pinned_spare;  // the strategy takes memory from it if the device has none
  std::unique_ptr<gpu::Strategy> strategy;
  std::atomic<int> in_flight{0};  // batches
  std::atomic<int> most_in_flight{0};
  std::atomic<std::int64_t> claims{0};  // of its streams, since the start
  std::atomic<std::size_t> batch{0};    // patches
  std::atomic<int> failed_in_a_row{0};
  std::recursive_mutex
      ladder;  // one recovery at a time, so that none takes the memory that another waits for
  std::atomic<int> recovering{0};
  std::atomic<bool> given_up{false};

  // The call of the sweep, as batches on this device take it. Step data are sent by the first of them.
  std::mutex call_mutex;
  UpdateCall call;
  gpu::Buffer step_data;
  gpu::Queue step_queue;
  bool step_data_sent = false;
};

// A queue of a device, with at most one batch.
struct Engine::Stream {
  // Claimed: one thread submits, writes back or recovers a batch.
  enum State : int { idle, claimed, submitted };
  DeviceSlot& device_slot;
  BatchExecution execution;
  std::atomic<int> state{idle};
  std::vector<EnclaveTask> tasks;
  std::int64_t number = 0;  // of the batch
  Stream(DeviceSlot& of, bool block_kernels)
      : device_slot(of), execution(*of.device, *of.strategy, block_kernels) {}
};

}  // namespace meander::offload
