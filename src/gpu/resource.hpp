// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where memory lives and who hands it out. The signatures follow the cuda::mr resource concept, without
// including anything of CUDA.

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

#include "gpu/queue.hpp"

namespace meander::gpu {

// host: any memory of the process. pinned: host memory that the device reaches too and copies fast. device:
// the device's own, which the host must not touch. managed: both may touch it, pages move to who does.
enum class Space : std::uint8_t { host, pinned, device, managed };
const char* name(Space space);

struct Place {
  Space space = Space::host;
  int device = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

// Thrown by allocate(); all figures in bytes.
struct OutOfMemory : std::bad_alloc {
  std::size_t requested = 0, in_use = 0;
  Place place;
  std::size_t idle = 0;   // held by a cache, but not to be had: too small, or still in flight
  std::size_t quota = 0;  // the most that could be held; 0: the device's own end was reached
  std::string message;
  OutOfMemory(std::size_t requested_bytes, std::size_t in_use_bytes, Place where, std::size_t idle_bytes = 0,
              std::size_t quota_bytes = 0);
  const char* what() const noexcept override { return message.c_str(); }
};

struct Stats {
  std::size_t live_bytes = 0, peak_bytes = 0, allocations = 0;

  // Of caches; zero elsewhere.
  std::size_t held_bytes = 0;  // had from the device: live, idle and in flight
  std::size_t peak_held_bytes = 0;
  std::size_t stranded_bytes = 0;  // of live blocks, beyond what was asked for
  std::size_t hits = 0;            // allocations served by idle blocks
  std::size_t taken = 0;           // of those, blocks that another thread had freed
  double waited = 0;               // seconds that threads waited for blocks in flight
  std::size_t device_allocations = 0, device_releases = 0;
  std::size_t while_busy = 0;   // device allocations while kernels or copies ran
  std::size_t evictions = 0;    // blocks given back because memory was wanted for others
  std::size_t carved = 0;       // blocks cut in two because memory was wanted for smaller ones
  std::size_t trimmed = 0;      // blocks given back because of their age, or on demand
  std::size_t queue_waits = 0;  // blocks in flight, taken with an order to the queue to wait
  std::size_t fallbacks = 0;    // allocations that another resource served
  std::size_t failures = 0;     // allocations that failed

  double hit_rate() const { return allocations == 0 ? 1.0 : double(hits) / double(allocations); }
  Stats& operator+=(const Stats& other);
};

// All functions may be called by any thread.
class Resource {
 public:
  virtual ~Resource() = default;

  // At least `bytes` bytes aligned to `alignment` (a power of two), for use by what is submitted to `queue`
  // from now on. 0 bytes gives null. Throws OutOfMemory, or DeviceError if the device fails.
  virtual void* allocate(Queue queue, std::size_t bytes, std::size_t alignment = 256);
  // The same, but null instead of OutOfMemory.
  virtual void* try_allocate(Queue queue, std::size_t bytes, std::size_t alignment = 256);
  // `pointer` from this resource, with the same bytes and alignment, from any queue or none: nothing
  // submitted to `queue` after this call may use it. Null does nothing.
  virtual void deallocate(Queue queue, void* pointer, std::size_t bytes,
                          std::size_t alignment = 256) noexcept;

  // The same without queue: anybody may use the block when the call returns, nobody uses it when it is given
  // back.
  virtual void* allocate_sync(std::size_t bytes, std::size_t alignment = 256) = 0;
  virtual void deallocate_sync(void* pointer, std::size_t bytes, std::size_t alignment = 256) noexcept = 0;

  // Bytes that can still be had, as far as is known; others may take them first.
  virtual std::size_t available() const noexcept = 0;
  virtual Place place() const noexcept = 0;
  virtual Stats stats() const noexcept = 0;
  // Gives idle memory back, the least recently used first, until at most `keep_idle` bytes are idle; returns
  // the bytes given back. Calls the device: not for hot paths.
  virtual std::size_t trim(std::size_t keep_idle = 0);
};

// The process-wide resource of plain host memory. Thread-safe.
Resource& host_memory();

}  // namespace meander::gpu
