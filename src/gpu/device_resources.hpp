// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Resources that ask the device each time: the baselines that the cache is measured against.

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/misuse.hpp"
#include "gpu/resource.hpp"

namespace meander::gpu {

// What is live, for resources whose calls cost so much that a lock does not count. Reports misuse.
class LiveBlocks {
 public:
  explicit LiveBlocks(Place place) : place_(place) {}
  ~LiveBlocks();  // reports leaks
  void add(void* pointer, std::size_t bytes);
  // False, and reported, if the block is not live or not of that size.
  bool remove(void* pointer, std::size_t bytes) noexcept;
  std::size_t bytes() const;
  Stats stats() const;

 private:
  const Place place_;
  mutable std::mutex mutex_;
  std::unordered_map<void*, std::size_t> blocks_;
  std::size_t live_ = 0, peak_ = 0, allocations_ = 0;
};

// Raw allocation and deallocation each time, as `omp target map` does. A block freed on a queue goes back to
// the device with the first call after the queue has come so far.
class DirectMemory final : public Resource {
 public:
  DirectMemory(Device& device, Space space);
  ~DirectMemory() override;
  void* allocate(Queue queue, std::size_t bytes, std::size_t alignment = 256) override;
  void deallocate(Queue queue, void* pointer, std::size_t bytes,
                  std::size_t alignment = 256) noexcept override;
  void* allocate_sync(std::size_t bytes, std::size_t alignment = 256) override;
  void deallocate_sync(void* pointer, std::size_t bytes, std::size_t alignment = 256) noexcept override;
  std::size_t available() const noexcept override;
  Place place() const noexcept override { return place_; }
  Stats stats() const noexcept override;
  std::size_t trim(std::size_t keep_idle = 0) override;

 private:
  struct Pending {
    Event last_use;
    void* pointer;
    std::size_t bytes;
  };
  std::size_t reap(bool wait) noexcept;

  Device& device_;
  const Place place_;
  LiveBlocks live_;
  std::mutex mutex_;
  std::vector<Pending> pending_;
  std::atomic<std::size_t> while_busy_{0}, releases_{0};
};

// The pool of the device's driver, in the order of its queues (cudaMallocAsync).
class OrderedMemory final : public Resource {
 public:
  // Throws DeviceError if the device has none.
  explicit OrderedMemory(Device& device);
  ~OrderedMemory() override;
  void* allocate(Queue queue, std::size_t bytes, std::size_t alignment = 256) override;
  void deallocate(Queue queue, void* pointer, std::size_t bytes,
                  std::size_t alignment = 256) noexcept override;
  void* allocate_sync(std::size_t bytes, std::size_t alignment = 256) override;
  void deallocate_sync(void* pointer, std::size_t bytes, std::size_t alignment = 256) noexcept override;
  std::size_t available() const noexcept override { return device_.available(); }
  Place place() const noexcept override { return place_; }
  Stats stats() const noexcept override { return live_.stats(); }

 private:
  Device& device_;
  const Place place_;
  const Queue queue_;  // of those who have none
  LiveBlocks live_;
};

}  // namespace meander::gpu
