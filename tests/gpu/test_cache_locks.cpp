// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The memory cache holds no lock while it calls a device, so that a slow device does not block other threads.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gpu/host_device.hpp"
#include "gpu/memory_cache.hpp"
#include "tests/gpu/units.hpp"

namespace meander::gpu {
namespace {

// Emulated device whose calls wait until another thread has taken every lock of the cache. Not checked: calls
// that only submit work, and refresh and settle by QueueState::device, which is the wrapped device.
class LockCheckingDevice final : public Device {
 public:
  explicit LockCheckingDevice(const HostDeviceSettings& settings) : device_(settings) {}

  void watch(MemoryCache* cache) { cache_ = cache; }
  int calls(const std::string& name) { return calls_[name]; }
  std::string called_under_a_lock() const { return called_under_a_lock_; }

  const DeviceProperties& properties() const noexcept override { return device_.properties(); }
  bool lost() const noexcept override { return device_.lost(); }
  bool busy() noexcept override { return called("busy"), device_.busy(); }
  Queue create_queue() override { return device_.create_queue(); }
  void destroy_queue(Queue queue) noexcept override { device_.destroy_queue(queue); }
  void* allocate(Space space, std::size_t bytes) override {
    return called("allocate"), device_.allocate(space, bytes);
  }
  void deallocate(Space space, void* pointer) noexcept override {
    called("deallocate"), device_.deallocate(space, pointer);
  }
  void* allocate_ordered(Queue queue, std::size_t bytes) override {
    return called("allocate_ordered"), device_.allocate_ordered(queue, bytes);
  }
  void deallocate_ordered(Queue queue, void* pointer) noexcept override {
    called("deallocate_ordered"), device_.deallocate_ordered(queue, pointer);
  }
  std::size_t available() noexcept override { return called("available"), device_.available(); }
  void copy(Queue queue, Copy direction, void* to, const void* from, std::size_t bytes) override {
    device_.copy(queue, direction, to, from, bytes);
  }
  void launch(Queue queue, const char* name, Work work) override {
    device_.launch(queue, name, std::move(work));
  }
  void call_host(Queue queue, std::function<void()> function) override {
    device_.call_host(queue, std::move(function));
  }
  void prefetch(Queue queue, void* pointer, std::size_t bytes, Side to) override {
    device_.prefetch(queue, pointer, bytes, to);
  }
  Event record(Queue queue) override { return called("record"), device_.record(queue); }
  bool is_complete(Event event) override { return called("is_complete"), device_.is_complete(event); }
  void wait(Event event) override { called("wait"), device_.wait(event); }
  void wait(Queue queue, Event event) override { called("wait"), device_.wait(queue, event); }
  void synchronize(Queue queue) override { called("synchronize"), device_.synchronize(queue); }
  void refresh(QueueState& queue) noexcept override { called("refresh"), device_.refresh(queue); }
  void settle(Event event) noexcept override { called("settle"), device_.settle(event); }

 private:
  void called(const char* name) {
    if (cache_ == nullptr) return;
    ++calls_[name];
    others_.push_back(std::async(std::launch::async, [cache = cache_] { cache->is_valid(); }));
    if (others_.back().wait_for(std::chrono::seconds(5)) != std::future_status::ready)
      called_under_a_lock_ = name;
  }

  HostDevice device_;
  MemoryCache* cache_ = nullptr;
  std::map<std::string, int> calls_;
  std::string called_under_a_lock_;
  std::vector<std::future<void>> others_;
};

TEST(CacheLocks, AreNotHeldWhileTheDeviceIsCalled) {
  HostDeviceSettings settings;
  settings.capacity = 8 * mib;
  LockCheckingDevice device(settings);
  CacheTraits traits;
  traits.deadline = std::chrono::milliseconds(20);
  MemoryCache cache(device, Space::device, traits);
  const Queue first = device.create_queue(), second = device.create_queue();
  device.watch(&cache);
  void* block = cache.allocate(first, 4 * mib);
  std::atomic<bool> open{false};
  device.call_host(first, [&] {
    while (!open) std::this_thread::yield();
  });
  cache.deallocate(first, block, 4 * mib);
  void* other = cache.allocate(second, 4 * mib);
  EXPECT_EQ(cache.try_allocate(Queue{}, 3 * mib), nullptr) << "all is live or in flight";
  EXPECT_EQ(cache.allocate(second, 4 * mib), block) << "the second queue waits for the first";
  open = true;
  cache.deallocate(second, block, 4 * mib);
  cache.deallocate(second, other, 4 * mib);
  device.synchronize(first);
  device.synchronize(second);  // else a block may be evicted instead of split, if it becomes idle in between
  void* part = cache.allocate_sync(2 * mib);
  EXPECT_GT(cache.stats().splits, 0u);
  cache.deallocate_sync(part, 2 * mib);
  void* whole = cache.allocate_sync(7 * mib);
  EXPECT_GT(cache.stats().evictions, 0u);
  cache.deallocate_sync(whole, 7 * mib);
  EXPECT_EQ(cache.trim(), 7 * mib);
  for (const char* name : {"allocate", "deallocate", "busy", "wait"})
    EXPECT_GT(device.calls(name), 0) << name;
  EXPECT_EQ(device.called_under_a_lock(), "");
  device.watch(nullptr);
  device.destroy_queue(first);
  device.destroy_queue(second);
}

}  // namespace
}  // namespace meander::gpu
