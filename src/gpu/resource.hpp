// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Memory spaces and the interface of memory resources. Signatures follow the cuda::mr resource concepts; this
// header includes no CUDA header.

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

#include "gpu/queue.hpp"

namespace meander::gpu {

// host: pageable memory of the process. pinned: page-locked host memory, which the device can access, and
// copies faster. device: device memory, which the host must not access. managed: accessible by both; pages
// migrate to the side that accesses them.
enum class Space : std::uint8_t { host, pinned, device, managed };
const char* name(Space space);

struct Place {
  Space space = Space::host;
  int device = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

// Thrown by allocate(). All sizes in bytes.
struct OutOfMemory : std::bad_alloc {
  std::size_t requested = 0, in_use = 0;
  Place place;
  std::size_t idle = 0;   // held by a cache, but unusable: too small, or still in flight
  std::size_t quota = 0;  // upper bound of the bytes held; 0: bounded by the memory of the device only
  std::string message;
  OutOfMemory(std::size_t requested_bytes, std::size_t in_use_bytes, Place where, std::size_t idle_bytes = 0,
              std::size_t quota_bytes = 0);
  const char* what() const noexcept override { return message.c_str(); }
};

struct Stats {
  std::size_t live_bytes = 0, peak_bytes = 0, allocations = 0;

  // Members for caches. Other resources set those that apply to them; the rest is zero.
  std::size_t held_bytes = 0;  // allocated from the device: live, idle and in flight
  std::size_t peak_held_bytes = 0;
  std::size_t fragmentation_bytes = 0;  // internal fragmentation: bytes of live blocks beyond the request
  std::size_t hits = 0;                 // allocations served by idle blocks
  std::size_t from_other_threads = 0;   // hits with a block that another thread had deallocated
  double waited = 0;                    // seconds that threads waited for blocks in flight
  std::size_t device_allocations = 0, device_releases = 0;
  std::size_t while_busy = 0;   // device allocations while kernels or copies ran
  std::size_t evictions = 0;    // blocks released to make room for blocks of other sizes
  std::size_t splits = 0;       // blocks split to serve smaller ones
  std::size_t trimmed = 0;      // blocks released by age or on demand
  std::size_t queue_waits = 0;  // allocations with a block in flight, for which the queue waits
  std::size_t fallbacks = 0;    // allocations served by the fallback resource
  std::size_t failures = 0;     // failed allocations

  double hit_rate() const { return allocations == 0 ? 1.0 : double(hits) / double(allocations); }
  Stats& operator+=(const Stats& other);
};

// Thread-safe: any thread may call any function.
class Resource {
 public:
  virtual ~Resource() = default;

  // Allocates at least `bytes` bytes, aligned to `alignment` (a power of two), for use by work submitted to
  // `queue` after this call. Returns null for 0 bytes. Throws OutOfMemory, or DeviceError if the device
  // fails.
  virtual void* allocate(Queue queue, std::size_t bytes, std::size_t alignment = 256);
  // As allocate(), but returns null instead of throwing OutOfMemory.
  virtual void* try_allocate(Queue queue, std::size_t bytes, std::size_t alignment = 256);
  // Deallocates `pointer`, which this resource allocated with the same `bytes` and `alignment`, for any queue
  // or none. Work submitted to `queue` after this call must not use it. No effect for null.
  virtual void deallocate(Queue queue, void* pointer, std::size_t bytes,
                          std::size_t alignment = 256) noexcept;

  // As allocate() and deallocate(), but synchronous: usable from any queue on return; the caller guarantees
  // no pending use on free.
  virtual void* allocate_sync(std::size_t bytes, std::size_t alignment = 256) = 0;
  virtual void deallocate_sync(void* pointer, std::size_t bytes, std::size_t alignment = 256) noexcept = 0;

  // Estimate of the bytes that can still be allocated; concurrent allocations may take them first.
  virtual std::size_t available() const noexcept = 0;
  virtual Place place() const noexcept = 0;
  virtual Stats stats() const noexcept = 0;
  // Releases idle memory, the least recently used first, until at most `keep_idle` bytes are idle. Returns
  // the bytes released. Calls the device: do not use it on hot paths.
  virtual std::size_t trim(std::size_t keep_idle = 0);
};

// The resource of pageable host memory, one per process. Thread-safe.
Resource& host_memory();

}  // namespace meander::gpu
