// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How a batch's data gets to the device and back. Six strategies behind one interface, chosen by name:
//
//   map               memory is had and given back each time, as `omp target map` does: the baseline
//   pooled            device memory from a MemoryCache, copied through pinned memory from another one
//   unified           managed memory from a MemoryCache: pages move when they are touched
//   unified-prefetch  the same, but pages are moved ahead of kernel and host
//   zero-copy         pinned memory from a MemoryCache, which kernels read and write over the link
//   cuda-async        like pooled, but device memory from the driver's stream-ordered pool
//
// On the emulated device all six exist. There, managed memory costs page_fault and bandwidth when the other
// side touches it, zero-copy memory is the host's own and costs nothing, and the driver's pool never stalls.

#include <memory>
#include <string>
#include <vector>

#include "gpu/memory_cache.hpp"

namespace meander::gpu {

// A block of a batch, seen from both sides. `host` may be null (no window was asked for), and may be the same
// memory as `device`.
struct Buffer {
  void* device = nullptr;
  void* host = nullptr;
  std::size_t bytes = 0;
};

// All functions may be called by any thread.
class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual const std::string& name() const noexcept = 0;

  // Kernels submitted to `queue` may use buffer.device from now on, the host buffer.host at once. Contents
  // are undefined. Without window, and if shares_memory() is false, there is no host side: copy to `device`
  // with Device::copy. Throws OutOfMemory (then nothing is held), DeviceError.
  virtual Buffer acquire(Queue queue, std::size_t bytes, bool window = true) = 0;
  // Nothing submitted to `queue` afterwards, and no host code, uses the buffer.
  virtual void release(Queue queue, const Buffer& buffer) noexcept = 0;

  // What the host has written to that part of buffer.host is there for kernels submitted afterwards.
  virtual void send(Queue queue, const Buffer& buffer, std::size_t offset, std::size_t bytes) = 0;
  // What kernels have written to that part is in buffer.host when the queue has come so far.
  virtual void fetch(Queue queue, const Buffer& buffer, std::size_t offset, std::size_t bytes) = 0;

  // True if both sides are the same memory, so that nothing is copied.
  virtual bool shares_memory() const noexcept = 0;
  // Where the device's side comes from.
  virtual Resource& memory() noexcept = 0;
  // Device and host side.
  virtual Stats stats() const noexcept = 0;
  // MemoryCache::tend and trim of whatever caches there are; bytes given back.
  virtual std::size_t tend() = 0;
  virtual std::size_t trim() = 0;
};

// In the order above.
const std::vector<std::string>& strategy_names();

// `traits` are those of the caches that kernels use; what is pinned for windows has no limit but the host's.
// The device outlives the strategy. Throws InputError if there is no such strategy, or not on this device,
// with those that there are.
std::unique_ptr<Strategy> make_strategy(const std::string& name, Device& device,
                                        const CacheTraits& traits = {});

}  // namespace meander::gpu
