// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A queue that is one thread, which does one thing after the other.

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/trace.hpp"
#include "gpu/threaded_device.hpp"

namespace meander::gpu {

class ThreadedDevice::ThreadQueue final : public QueueState {
 public:
  struct Operation {
    const char* name;  // lives as long as the program
    std::function<void()> run;
    bool always;     // also behind a failure
    bool on_device;  // counts as running: raw allocation may wait for it
    std::int64_t traced = trace::context();
  };

  ThreadQueue(ThreadedDevice& owner, std::size_t number) : owner_(owner), number_(number) { device = &owner; }
  ~ThreadQueue() { stop(); }

  void start() {
    stopping_ = false;
    thread_ = std::thread([this] { work(); });
  }

  // Ends what was submitted, then the thread.
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

  // Throws the failure of something submitted; afterwards the queue works again if `clear`.
  void rethrow(bool clear) {
    std::exception_ptr error;
    {
      const std::lock_guard lock(mutex_);
      error = error_;
      if (clear) error_ = nullptr;
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
      const bool skip = (error_ != nullptr || owner_.lost()) && !operation.always;
      lock.unlock();
      std::exception_ptr error;
      if (!skip) error = attempt(operation);
      operation.run = nullptr;  // what it holds must be gone when it is seen to be over
      lock.lock();
      if (error && !error_) error_ = error;
      completed.fetch_add(1, std::memory_order_release);
      changed_.notify_all();
    }
  }

  std::exception_ptr attempt(const Operation& operation) {
    if (operation.on_device) owner_.begin_operation();
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
    if (operation.on_device) owner_.end_operation();
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
