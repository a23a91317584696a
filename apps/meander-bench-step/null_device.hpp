// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A device that does nothing: launches and copies return at once, without effect. With patches on it, the time
// of a step is the host's own work.

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "gpu/device.hpp"

namespace meander::bench {

class NullDevice final : public gpu::Device {
 public:
  NullDevice() {
    properties_.kind = "host";  // it has the kernels of the emulated device
    properties_.name = "null";
    properties_.memory = std::size_t{1} << 46;
    state_.device = this;
  }
  const gpu::DeviceProperties& properties() const noexcept override { return properties_; }
  bool lost() const noexcept override { return false; }
  bool busy() noexcept override { return false; }
  gpu::Queue create_queue() override { return gpu::Queue(&state_); }
  void destroy_queue(gpu::Queue) noexcept override {}
  // Addresses only: nothing is read or written there. Pinned memory is the host's.
  void* allocate(gpu::Space space, std::size_t bytes) override {
    constexpr std::size_t alignment = 4096;
    const std::size_t pages = (bytes + alignment - 1) / alignment * alignment;
    if (space == gpu::Space::device) return reinterpret_cast<void*>(next_.fetch_add(pages));
    void* const pinned = std::aligned_alloc(alignment, pages);
    if (pinned == nullptr) throw gpu::OutOfMemory(pages, 0, {space, 0});
    return std::memset(pinned, 0, pages);
  }
  void deallocate(gpu::Space space, void* pointer) noexcept override {
    if (space != gpu::Space::device) std::free(pointer);
  }
  void* allocate_ordered(gpu::Queue, std::size_t bytes) override {
    return allocate(gpu::Space::device, bytes);
  }
  void deallocate_ordered(gpu::Queue, void*) noexcept override {}
  std::size_t available() noexcept override { return properties_.memory; }
  void copy(gpu::Queue, gpu::Copy, void*, const void*, std::size_t) override {}
  void launch(gpu::Queue, const char*, gpu::Work) override {}
  void call_host(gpu::Queue, std::function<void()> function) override { function(); }
  void prefetch(gpu::Queue, void*, std::size_t, gpu::Side) override {}
  gpu::Event record(gpu::Queue) override { return {}; }
  bool is_complete(gpu::Event) override { return true; }
  void wait(gpu::Event) override {}
  void wait(gpu::Queue, gpu::Event) override {}
  void synchronize(gpu::Queue) override {}
  void refresh(gpu::QueueState&) noexcept override {}
  void settle(gpu::Event) noexcept override {}

 private:
  gpu::DeviceProperties properties_;
  gpu::QueueState state_;
  std::atomic<std::size_t> next_{std::size_t{1} << 46};
};

}  // namespace meander::bench
