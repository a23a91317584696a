// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Memory of the emulated device. Device addresses are in a protected range of the address space; the device
// accesses the bytes through a second mapping. Host code that dereferences a device pointer therefore ends
// with SIGSEGV, and a host pointer passed to the device is detected.

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "gpu/device.hpp"

namespace meander::gpu {

// Thread-safe.
class HostAddressSpace {
 public:
  // Throws DeviceError if the address range cannot be reserved. The first 64 KiB of a new device block are
  // filled with signalling NaNs, in debug builds the whole block. Memory beside blocks and released memory are
  // protected.
  explicit HostAddressSpace(std::size_t capacity);
  ~HostAddressSpace();
  HostAddressSpace(const HostAddressSpace&) = delete;
  HostAddressSpace& operator=(const HostAddressSpace&) = delete;

  std::size_t capacity() const { return capacity_; }
  std::size_t in_use() const;

  // Only Space::device counts against the capacity. Null if there is not enough memory.
  void* allocate(Space space, std::size_t bytes);
  // False if no block of that space begins at `pointer`. Reports Misuse::overrun if the bytes between the end of the
  // block and the next page were written.
  bool deallocate(Space space, void* pointer);

  struct Place {
    void* address;  // accessible address of the bytes
    Space space;
    void* block;  // begin of their block
    std::size_t block_bytes;
  };
  // Location of [pointer, pointer + bytes) if it is within one block of device, pinned or managed memory.
  std::optional<Place> find(const void* pointer, std::size_t bytes) const;
  // True for any address in the range of device addresses, allocated or not.
  bool is_device(const void* pointer) const;

  // Device::restrict_access().
  void restrict_access(void* pointer, std::size_t usable, std::size_t bytes,
                       Contents contents) const noexcept;

  // For managed blocks: moves the pages of `block` to a side and returns the previous side.
  Side move_to(void* block, Side side);

 private:
  struct Block {
    std::size_t bytes;
    Space space;
    Side side;
  };
  std::size_t span(std::size_t bytes) const;

  const std::size_t capacity_, range_;
  char* addresses_ = nullptr;  // protected range of device addresses
  char* bytes_ = nullptr;      // accessible mapping of the same size
  mutable std::mutex mutex_;
  std::map<std::uintptr_t, Block> blocks_;   // by device or host address
  std::map<std::size_t, std::size_t> free_;  // offsets to lengths
  std::size_t in_use_ = 0;
};

}  // namespace meander::gpu
