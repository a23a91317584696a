// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Queues and events. A queue executes its operations in order of submission; different queues run
// concurrently.

#include <atomic>
#include <cstdint>

namespace meander::gpu {

class Device;

// Known progress of a queue. It belongs to the device and lives as long as the device, so that events remain
// valid after the destruction of their queue.
struct QueueState {
  Device* device = nullptr;
  std::atomic<std::uint64_t> submitted{0};  // number of operations submitted so far
  std::atomic<std::uint64_t> completed{0};  // number of the first operations that are known to have ended
};

// Handle of a queue, cheap to copy. The default value means "no queue": operations have ended when the call
// returns.
class Queue {
 public:
  constexpr Queue() = default;
  explicit constexpr Queue(QueueState* state) : state_(state) {}
  constexpr bool synchronous() const { return state_ == nullptr; }
  constexpr QueueState* state() const { return state_; }
  Device& device() const { return *state_->device; }  // requires !synchronous()
  friend constexpr bool operator==(Queue, Queue) = default;

 private:
  QueueState* state_ = nullptr;
};

// The completion of the first `ticket` operations of a queue.
struct Event {
  QueueState* queue = nullptr;
  std::uint64_t ticket = 0;

  // False if the event may still be incomplete. Does not call the device: Device::refresh updates the
  // progress.
  bool known_complete() const {
    return queue == nullptr || queue->completed.load(std::memory_order_acquire) >= ticket;
  }
};

// Event completing after all work that the calling thread has submitted to the queue so far. Costs one load;
// the device determines its completion only on request. Device::record creates an exact event on the device.
inline Event mark(Queue queue) {
  if (queue.synchronous()) return {};
  return {queue.state(), queue.state()->submitted.load(std::memory_order_acquire)};
}

}  // namespace meander::gpu
