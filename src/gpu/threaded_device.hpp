// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Base class of devices whose queues are host threads: queues and events of the emulated device and of OpenMP
// devices.

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
  bool is_complete(Event event) final;
  void wait(Event event) final;
  void wait(Queue queue, Event event) final;
  void synchronize(Queue queue) final;
  void refresh(QueueState& queue) noexcept final;
  void settle(Event event) noexcept final;

 protected:
  class ThreadQueue;
  // Processor that an operation uses. Raw allocation may wait for operations on the device.
  enum class Processor : std::uint8_t { device, host };
  ThreadedDevice();
  ~ThreadedDevice() override;

  // Called at the beginning of every function that may throw. Throws DeviceError if the device is lost.
  virtual void begin_call();
  // Called before and after each operation on the device, on the thread of the queue.
  virtual void begin_operation() {}
  virtual void end_operation() {}

  [[noreturn]] void fail(const std::string& what, bool device_lost = false) const;
  // Throws DeviceError if the queue belongs to another device, or is synchronous.
  ThreadQueue& queue_of(Queue queue, const char* call);
  // `name` must live as long as the program.
  void submit(Queue queue, const char* name, std::function<void()> operation,
              Processor processor = Processor::device);
  // Destructors of derived classes must call it, because threads of queues call virtual functions.
  void stop_queues();

  DeviceProperties properties_;
  std::atomic<bool> lost_{false};

 private:
  std::mutex queues_mutex_;
  std::deque<std::unique_ptr<ThreadQueue>>
      queues_;  // including destroyed ones: events may refer to their state
};

}  // namespace meander::gpu
