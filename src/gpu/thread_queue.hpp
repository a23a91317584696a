// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Queue implemented by one thread, which executes operations in order.

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/trace.hpp"
#include "gpu/threaded_device.hpp"

namespace meander::gpu {

class ThreadedDevice::ThreadQueue final : public QueueState {
 public:
  // Execution after a failure of the queue or the loss of the device.
  enum class Policy : std::uint8_t { skip_after_failure, always };

  struct Operation {
    const char* name;  // must live as long as the program
    std::function<void()> run;
    Policy policy;
    Processor processor;
    std::int64_t traced = trace::context();
  };

  ThreadQueue(ThreadedDevice& owner, std::size_t number) : owner_(owner), number_(number) { device = &owner; }
  ~ThreadQueue() { stop(); }

  void start() {
    stopping_ = false;
    thread_ = std::thread([this] { work(); });
  }

  // Waits for all submitted operations, then ends the thread.
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  bool stopped() const { return !thread_.joinable(); }

  void submit(Operation operation) {
    {
      const std::lock_guard lock(mutex_);
      operations_.push_back(std::move(operation));
      submitted.fetch_add(1, std::memory_order_release);
    }
    changed_.notify_all();
  }

  void wait(std::uint64_t ticket) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return completed.load(std::memory_order_acquire) >= ticket; });
  }

  // Throws the failure of a submitted operation, if there was one.
  void rethrow_error() {
    std::exception_ptr error;
    {
      const std::lock_guard lock(mutex_);
      error = error_;
    }
    if (error) std::rethrow_exception(error);
  }
  // As rethrow_error(); the queue accepts operations again.
  void rethrow_and_clear_error() {
    std::exception_ptr error;
    {
      const std::lock_guard lock(mutex_);
      error = std::exchange(error_, nullptr);
    }
    if (error) std::rethrow_exception(error);
  }

 private:
  void work() {
    trace::name_thread(owner_.properties().name + " queue " + std::to_string(number_));
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return stopping_ || !operations_.empty(); });
      if (operations_.empty()) return;
      Operation operation = std::move(operations_.front());
      operations_.pop_front();
      const bool is_lost = owner_.lost();
      const bool skip = (error_ != nullptr || is_lost) && operation.policy != Policy::always;
      lock.unlock();
      std::exception_ptr error;
      if (!skip) error = execute(operation);
      // A thread that began to wait before the loss learns only from the queue that this did not run.
      if (skip && is_lost) error = lost_error();
      operation.run = nullptr;  // destroys its captures before it counts as completed
      lock.lock();
      if (error && !error_) error_ = error;
      completed.fetch_add(1, std::memory_order_release);
      changed_.notify_all();
    }
  }

  std::exception_ptr lost_error() const {
    return std::make_exception_ptr(DeviceError(owner_.properties().name + ": the device is lost", true));
  }

  std::exception_ptr execute(const Operation& operation) {
    if (operation.processor == Processor::device) owner_.begin_operation();
    std::exception_ptr error;
    try {
      const trace::Scope scope(operation.name, operation.traced);
      operation.run();
    } catch (const DeviceError&) {
      error = std::current_exception();
    } catch (const std::exception& other) {
      const std::string words = owner_.properties().name + ": a kernel failed: " + other.what();
      error = std::make_exception_ptr(DeviceError(words, false));
    }
    if (operation.processor == Processor::device) owner_.end_operation();
    return error;
  }

  ThreadedDevice& owner_;
  const std::size_t number_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Operation> operations_;
  std::exception_ptr error_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace meander::gpu
