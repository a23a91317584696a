// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Queues and events of devices each of whose queues is a thread of the host: what the emulated device and
// OpenMP's have in common.

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "gpu/device.hpp"

namespace meander::gpu {

class ThreadedDevice : public Device {
 public:
  const DeviceProperties& properties() const noexcept final { return properties_; }
  bool lost() const noexcept final { return lost_.load(std::memory_order_relaxed); }
  bool busy() noexcept final;
  Queue create_queue() final;
  void destroy_queue(Queue queue) noexcept final;
  void call_host(Queue queue, std::function<void()> function) final;
  Event record(Queue queue) final;
  bool over(Event event) final;
  void wait(Event event) final;
  void wait(Queue queue, Event event) final;
  void synchronize(Queue queue) final;
  void refresh(QueueState& queue) noexcept final;
  void settle(Event event) noexcept final;

 protected:
  class ThreadQueue;
  ThreadedDevice();
  ~ThreadedDevice() override;

  // At the beginning of every call that may throw: throws DeviceError if the device is lost.
  virtual void begin_call();
  // Around what counts as running on the device, on the queue's thread.
  virtual void begin_operation() {}
  virtual void end_operation() {}

  [[noreturn]] void fail(const std::string& what, bool device_lost = false) const;
  // Throws DeviceError if the queue is another device's, or none.
  ThreadQueue& queue_of(Queue queue, const char* call);
  // `name` lives as long as the program.
  void submit(Queue queue, const char* name, std::function<void()> operation, bool on_device = true);
  // To be called by destructors of what derives: threads of queues call its functions.
  void stop_queues();

  DeviceProperties properties_;
  std::atomic<bool> lost_{false};

 private:
  std::mutex queues_mutex_;
  std::deque<std::unique_ptr<ThreadQueue>> queues_;  // also those destroyed, whose state may be asked for
};

}  // namespace meander::gpu
