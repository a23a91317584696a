// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Memory strategies: transfer of the data of a batch to the device and back. One interface has six
// implementations, selected by name:
//
//   map               allocates and deallocates memory for each batch, as `omp target map` does: the baseline
//   pooled            device memory from a MemoryCache, copied through pinned memory from a second one
//   unified           managed memory from a MemoryCache; pages migrate on access
//   unified-prefetch  as unified, with prefetches before accesses of kernel and host
//   zero-copy         pinned memory from a MemoryCache, which kernels read and write over the link
//   cuda-async        as pooled, with device memory from the stream-ordered pool of the driver
//
// The emulated device supports all six. There, managed memory costs page_fault and bandwidth on access by the
// other side, zero-copy memory is host memory and costs nothing, and the stream-ordered pool never stalls.

#include <memory>
#include <string>
#include <vector>

#include "gpu/memory_cache.hpp"

namespace meander::gpu {

// Block of a batch on both sides. `host` is null if no host window was requested, and may be the same memory
// as `device`.
struct Buffer {
  void* device = nullptr;
  void* host = nullptr;
  std::size_t bytes = 0;
};

// Whether Strategy::acquire allocates a host window: host memory for the data of the block.
enum class HostWindow : std::uint8_t { none, allocate };

// Thread-safe: any thread may call any function.
class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual const std::string& name() const noexcept = 0;

  // Kernels submitted to `queue` after this call may use buffer.device; the host may use buffer.host
  // immediately. Contents are undefined. Without a window, and if shares_memory() is false, there is no host
  // side: use Device::copy to `device`. Throws OutOfMemory, DeviceError; no memory is held then.
  virtual Buffer acquire(Queue queue, std::size_t bytes, HostWindow window = HostWindow::allocate) = 0;
  // The caller guarantees that no work submitted to `queue` afterwards, and no host code, uses the buffer.
  virtual void release(Queue queue, const Buffer& buffer) noexcept = 0;

  // Makes host writes to that part of buffer.host visible to kernels submitted to the queue afterwards.
  virtual void send(Queue queue, const Buffer& buffer, std::size_t offset, std::size_t bytes) = 0;
  // Makes kernel writes to that part visible in buffer.host, once the queue has completed this operation.
  virtual void fetch(Queue queue, const Buffer& buffer, std::size_t offset, std::size_t bytes) = 0;

  // True if both sides are the same memory, so that no data is copied.
  virtual bool shares_memory() const noexcept = 0;
  // Resource of the device side.
  virtual Resource& memory() noexcept = 0;
  // Sum over device and host side.
  virtual Stats stats() const noexcept = 0;
  // MemoryCache::maintain and MemoryCache::trim of all caches of the strategy. Return the bytes released.
  virtual std::size_t maintain() = 0;
  virtual std::size_t trim() = 0;
};

// Names of all strategies, in the order above.
const std::vector<std::string>& strategy_names();

// `traits` apply to the cache of the device side; pinned memory for host windows is limited by the host only.
// The device must outlive the strategy. Throws InputError with the available names if the strategy does not
// exist, or not on this device.
std::unique_ptr<Strategy> make_strategy(const std::string& name, Device& device,
                                        const CacheTraits& traits = {});

}  // namespace meander::gpu
