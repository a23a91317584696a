// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where memory lives and who hands it out. The signatures follow the cuda::mr resource concept, without
// including anything of CUDA.

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

namespace meander::gpu {

enum class Space : std::uint8_t { host, pinned, device, managed };

struct Place {
  Space space = Space::host;
  int device = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

// Thrown by allocate(); all figures in bytes.
struct OutOfMemory : std::bad_alloc {
  std::size_t requested = 0, in_use = 0;
  Place place;
  std::string message;
  OutOfMemory(std::size_t requested_bytes, std::size_t in_use_bytes, Place where);
  const char* what() const noexcept override { return message.c_str(); }
};

struct Stats {
  std::size_t live_bytes = 0, peak_bytes = 0, allocations = 0;
};

class Resource {
 public:
  virtual ~Resource() = default;
  // At least `bytes` bytes aligned to `alignment` (a power of two). 0 bytes gives null. Throws OutOfMemory.
  virtual void* allocate_sync(std::size_t bytes, std::size_t alignment = 256) = 0;
  // `pointer` from allocate_sync with the same bytes and alignment; null does nothing.
  virtual void deallocate_sync(void* pointer, std::size_t bytes, std::size_t alignment = 256) noexcept = 0;
  // Bytes that can still be had, as far as is known; others may take them first.
  virtual std::size_t available() const noexcept = 0;
  virtual Place place() const noexcept = 0;
  virtual Stats stats() const noexcept = 0;
};

// The process-wide resource of plain host memory. Thread-safe.
Resource& host_memory();

}  // namespace meander::gpu
