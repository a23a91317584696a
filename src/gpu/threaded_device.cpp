// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/threaded_device.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.hpp"
#include "gpu/thread_queue.hpp"

namespace meander::gpu {

ThreadedDevice::ThreadedDevice() = default;

ThreadedDevice::~ThreadedDevice() {
  stop_queues();
}

void ThreadedDevice::stop_queues() {
  for (const auto& queue : queues_) queue->stop();
}

void ThreadedDevice::fail(const std::string& what, bool device_lost) const {
  throw DeviceError(properties_.name + ": " + what, device_lost);
}

void ThreadedDevice::begin_call() {
  if (lost()) fail("the device is lost", true);
}

ThreadedDevice::ThreadQueue& ThreadedDevice::queue_of(Queue queue, const char* call) {
  if (queue.synchronous() || queue.state()->device != this)
    fail(fmt::format("{}: the queue does not belong to the device", call));
  return static_cast<ThreadQueue&>(*queue.state());
}

bool ThreadedDevice::busy() noexcept {
  const std::lock_guard lock(queues_mutex_);
  return std::any_of(queues_.begin(), queues_.end(), [](const auto& queue) {
    return queue->completed.load(std::memory_order_relaxed) <
           queue->submitted.load(std::memory_order_relaxed);
  });
}

Queue ThreadedDevice::create_queue() {
  begin_call();
  const std::lock_guard lock(queues_mutex_);
  auto found =
      std::find_if(queues_.begin(), queues_.end(), [](const auto& queue) { return queue->stopped(); });
  if (found == queues_.end()) {
    queues_.push_back(std::make_unique<ThreadQueue>(*this, queues_.size()));
    found = std::prev(queues_.end());
  }
  (*found)->start();
  return Queue(found->get());
}

void ThreadedDevice::destroy_queue(Queue queue) noexcept {
  if (queue.synchronous()) return;
  auto& state = static_cast<ThreadQueue&>(*queue.state());
  settle(mark(queue));
  const std::lock_guard lock(queues_mutex_);
  state.stop();
  try {
    state.rethrow_and_clear_error();
  } catch (const std::exception& error) {
    // The loss of a device is reported by other calls.
    if (!lost()) log::warning(std::string("unreported failure of a destroyed queue: ") + error.what());
  }
}

void ThreadedDevice::submit(Queue queue, const char* name, std::function<void()> operation,
                            Processor processor) {
  begin_call();
  ThreadQueue& state = queue_of(queue, name);
  state.rethrow_error();
  state.submit({name, std::move(operation), ThreadQueue::Policy::skip_after_failure, processor});
}

void ThreadedDevice::call_host(Queue queue, std::function<void()> function) {
  submit(queue, "call_host", std::move(function), Processor::host);
}

Event ThreadedDevice::record(Queue queue) {
  begin_call();
  if (!queue.synchronous()) queue_of(queue, "record");
  return mark(queue);
}

bool ThreadedDevice::is_complete(Event event) {
  begin_call();
  if (!event.known_complete()) return false;
  if (event.queue != nullptr) queue_of(Queue(event.queue), "is_complete").rethrow_error();
  return true;
}

void ThreadedDevice::wait(Event event) {
  begin_call();
  if (event.queue == nullptr) return;
  ThreadQueue& state = queue_of(Queue(event.queue), "wait");
  settle(event);
  state.rethrow_error();
}

void ThreadedDevice::wait(Queue queue, Event event) {
  submit(
      queue, "wait",
      [event] {
        if (event.queue != nullptr) event.queue->device->settle(event);
      },
      Processor::host);
}

void ThreadedDevice::synchronize(Queue queue) {
  begin_call();
  if (queue.synchronous()) return;
  ThreadQueue& state = queue_of(queue, "synchronize");
  settle(mark(queue));
  state.rethrow_and_clear_error();
  if (lost()) fail("the device is lost", true);
}

void ThreadedDevice::refresh(QueueState&) noexcept {}

void ThreadedDevice::settle(Event event) noexcept {
  if (!event.known_complete()) static_cast<ThreadQueue*>(event.queue)->wait(event.ticket);
}

}  // namespace meander::gpu
