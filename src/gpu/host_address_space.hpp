// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The memory of the emulated device. Device addresses lie in a range that nobody may read or write; the
// device itself reaches the bytes through a second mapping. So host code that follows a device pointer dies
// at once, and a host pointer handed to the device is known for what it is.

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "gpu/resource.hpp"

namespace meander::gpu {

class HostAddressSpace {
 public:
  // Throws DeviceError if the address range cannot be had. New blocks are filled with signalling NaNs.
  explicit HostAddressSpace(std::size_t capacity);
  ~HostAddressSpace();
  HostAddressSpace(const HostAddressSpace&) = delete;
  HostAddressSpace& operator=(const HostAddressSpace&) = delete;

  std::size_t capacity() const { return capacity_; }
  std::size_t in_use() const;

  // Space::device counts against the capacity. Null if there is no room.
  void* allocate(Space space, std::size_t bytes);
  // False if no block of that space begins there.
  bool deallocate(Space space, void* pointer);

  struct Place {
    void* address;  // where the bytes are
    Space space;
    void* block;  // the beginning of their block
    std::size_t block_bytes;
  };
  // Where [pointer, pointer + bytes) is if it lies in one block of the device's, pinned or managed memory.
  std::optional<Place> find(const void* pointer, std::size_t bytes) const;
  // True for any address of the device's range, in a block or not.
  bool is_device(const void* pointer) const;

  // Managed blocks: sets which side has the pages of `block`, returns the side that had them before.
  bool move_to(void* block, bool to_device);

 private:
  struct Block {
    std::size_t bytes;
    Space space;
    bool on_device;
  };
  std::size_t span(std::size_t bytes) const;

  const std::size_t capacity_, range_;
  char* addresses_ = nullptr;  // protected
  char* bytes_ = nullptr;      // what they stand for
  mutable std::mutex mutex_;
  std::map<std::uintptr_t, Block> blocks_;   // by device or host address
  std::map<std::size_t, std::size_t> free_;  // offsets to lengths
  std::size_t in_use_ = 0;
};

}  // namespace meander::gpu
