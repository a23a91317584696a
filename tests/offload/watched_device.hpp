// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "gpu/host_device.hpp"

namespace meander::offload::test {

// An emulated device that counts what is asked of it.
class WatchedDevice final : public gpu::Device {
 public:
  explicit WatchedDevice(const gpu::HostDeviceSettings& settings = {}) : real_(settings) {}
  const gpu::DeviceProperties& properties() const noexcept override { return real_.properties(); }
  bool lost() const noexcept override { return real_.lost(); }
  bool busy() noexcept override { return real_.busy(); }
  gpu::Queue create_queue() override { return real_.create_queue(); }
  void destroy_queue(gpu::Queue queue) noexcept override { real_.destroy_queue(queue); }
  void* allocate(gpu::Space space, std::size_t bytes) override { return real_.allocate(space, bytes); }
  void deallocate(gpu::Space space, void* pointer) noexcept override { real_.deallocate(space, pointer); }
  void* allocate_ordered(gpu::Queue queue, std::size_t bytes) override {
    return real_.allocate_ordered(queue, bytes);
  }
  void deallocate_ordered(gpu::Queue queue, void* pointer) noexcept override {
    real_.deallocate_ordered(queue, pointer);
  }
  std::size_t available() noexcept override { return real_.available(); }
  void copy(gpu::Queue queue, gpu::Copy direction, void* to, const void* from, std::size_t bytes) override {
    if (direction == gpu::Copy::in) copied_in_ += bytes;
    real_.copy(queue, direction, to, from, bytes);
  }
  void launch(gpu::Queue queue, const char* name, gpu::Work work) override {
    real_.launch(queue, name, std::move(work));
  }
  void call_host(gpu::Queue queue, std::function<void()> function) override {
    real_.call_host(queue, std::move(function));
  }
  void prefetch(gpu::Queue queue, void* pointer, std::size_t bytes, gpu::Side to) override {
    real_.prefetch(queue, pointer, bytes, to);
  }
  gpu::Event record(gpu::Queue queue) override { return real_.record(queue); }
  bool is_complete(gpu::Event event) override {
    most_ = std::max(most_.load(), ++asking_);
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    --asking_;
    return real_.is_complete(event);
  }
  void wait(gpu::Event event) override { real_.wait(event); }
  void wait(gpu::Queue queue, gpu::Event event) override { real_.wait(queue, event); }
  void synchronize(gpu::Queue queue) override { real_.synchronize(queue); }
  void refresh(gpu::QueueState& queue) noexcept override { real_.refresh(queue); }
  void settle(gpu::Event event) noexcept override { real_.settle(event); }

  // The largest number of threads that have asked at the same time whether an event is complete.
  int most_asking() const { return most_; }
  std::size_t copied_in() const { return copied_in_; }

 private:
  gpu::HostDevice real_;
  std::atomic<int> asking_{0}, most_{0};
  std::atomic<std::size_t> copied_in_{0};
};

}  // namespace meander::offload::test
