// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Resources that call the device for each allocation: baselines for measurements of the cache.

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/misuse.hpp"
#include "gpu/resource.hpp"

namespace meander::gpu {

// Registry of live blocks. Reports misuse. Takes a lock for each call; its cost is negligible beside that of
// a call of the device. Thread-safe.
class LiveBlocks {
 public:
  explicit LiveBlocks(Place place) : place_(place) {}
  ~LiveBlocks();  // reports leaks
  void add(void* pointer, std::size_t bytes);
  // Reports misuse and returns false if the block is not live or not of that size.
  bool remove(void* pointer, std::size_t bytes) noexcept;
  std::size_t bytes() const;
  Stats stats() const;

 private:
  const Place place_;
  mutable std::mutex mutex_;
  std::unordered_map<void*, std::size_t> blocks_;
  std::size_t live_ = 0, peak_ = 0, allocations_ = 0;
};

// Raw allocation and deallocation for each request, as in `omp target map`. A block deallocated on a queue is
// returned to the device by the first call after the queue has completed its last use.
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
  enum class InFlight : std::uint8_t { keep, wait };
  // Returns pending blocks to the device; those still in flight stay pending, or are waited for. Returns the
  // bytes released.
  std::size_t reap(InFlight in_flight) noexcept;

  Device& device_;
  const Place place_;
  LiveBlocks live_;
  std::mutex mutex_;
  std::vector<Pending> pending_;
  std::atomic<std::size_t> while_busy_{0}, releases_{0};
};

// Stream-ordered memory pool of the driver (cudaMallocAsync).
class OrderedMemory final : public Resource {
 public:
  // Throws DeviceError if the device has no such pool.
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
  const Queue queue_;  // for calls without a queue
  LiveBlocks live_;
};

}  // namespace meander::gpu
