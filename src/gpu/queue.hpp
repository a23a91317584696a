// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Queues and points in them. A queue runs what is submitted to it in order; several queues run side by side.

#include <atomic>
#include <cstdint>

namespace meander::gpu {

class Device;

// What is known of a queue's progress. Belongs to the device and lives as long as it does, so that memory may
// be told after a queue's end whether its last use there is over.
struct QueueState {
  Device* device = nullptr;
  std::atomic<std::uint64_t> submitted{0};  // operations handed to the device so far
  std::atomic<std::uint64_t> completed{0};  // of those, the first so many have ended, as far as is known
};

// A handle, copied freely. The default one is no queue at all: whatever is done with it is done when the call
// returns.
class Queue {
 public:
  constexpr Queue() = default;
  explicit constexpr Queue(QueueState* state) : state_(state) {}
  constexpr bool synchronous() const { return state_ == nullptr; }
  constexpr QueueState* state() const { return state_; }
  Device& device() const { return *state_->device; }  // not for a synchronous one
  friend constexpr bool operator==(Queue, Queue) = default;

 private:
  QueueState* state_ = nullptr;
};

// A point in a queue: the end of its first `ticket` operations.
struct Event {
  QueueState* queue = nullptr;
  std::uint64_t ticket = 0;

  // False while it may still lie ahead. Loads only: no device is asked (Device::refresh does that).
  bool known_over() const {
    return queue == nullptr || queue->completed.load(std::memory_order_acquire) >= ticket;
  }
};

// Behind all that the calling thread has submitted to the queue. Costs a load: it is the device's business to
// find out later, should anybody ask. Device::record says it to the device at once, and is exact.
inline Event mark(Queue queue) {
  if (queue.synchronous()) return {};
  return {queue.state(), queue.state()->submitted.load(std::memory_order_acquire)};
}

}  // namespace meander::gpu
