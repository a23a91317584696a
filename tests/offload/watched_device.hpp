// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

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
  gpu::Queue create_urgent_queue() override { return urgent_.emplace_back(real_.create_urgent_queue()); }
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
    if (before_) before_(queue, name);
    real_.launch(queue, name, std::move(work));
    if (after_) after_(queue, name);
  }
  void call_host(gpu::Queue queue, std::function<void()> function) override {
    real_.call_host(queue, std::move(function));
  }
  void prefetch(gpu::Queue queue, void* pointer, std::size_t bytes, gpu::Side to) override {
    real_.prefetch(queue, pointer, bytes, to);
  }
  void* address_for_messages(void* pointer, std::size_t bytes) override {
    return real_.address_for_messages(pointer, bytes);
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

  using OfLaunch = std::function<void(gpu::Queue, std::string_view name)>;
  // What to call before and after the submission of a launch.
  void watch_launches(OfLaunch before, OfLaunch after) {
    before_ = std::move(before);
    after_ = std::move(after);
  }
  bool is_urgent(gpu::Queue queue) const { return std::ranges::find(urgent_, queue) != urgent_.end(); }

 private:
  gpu::HostDevice real_;
  std::atomic<int> asking_{0}, most_{0};
  std::atomic<std::size_t> copied_in_{0};
  std::vector<gpu::Queue> urgent_;
  OfLaunch before_, after_;
};

}  // namespace meander::offload::test
