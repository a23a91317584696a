// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A block and who answers for it, after SUNDIALS' SUNMemory.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "gpu/device.hpp"
#include "gpu/resource.hpp"

namespace meander::gpu {

// owned: given back when its Memory ends. wrapped: somebody else's, looked at. aliased: of another Memory,
// which must live longer.
enum class Ownership : std::uint8_t { owned, wrapped, aliased };

class Memory {
 public:
  Memory() = default;
  // Throws what Resource::allocate throws. Given back in the order of the same queue.
  static Memory allocate(Resource& resource, std::size_t bytes, Queue queue = {},
                         std::size_t alignment = 256) {
    Memory memory;
    memory.data_ = resource.allocate(queue, bytes, alignment);
    memory.bytes_ = bytes;
    memory.place_ = resource.place();
    memory.resource_ = &resource;
    memory.queue_ = queue;
    memory.alignment_ = alignment;
    memory.ownership_ = Ownership::owned;
    return memory;
  }
  static Memory wrap(void* data, std::size_t bytes, Place place) {
    Memory memory;
    memory.data_ = data;
    memory.bytes_ = bytes;
    memory.place_ = place;
    return memory;
  }
  Memory alias() const {
    Memory memory = wrap(data_, bytes_, place_);
    memory.ownership_ = Ownership::aliased;
    return memory;
  }
  // An owned block of the same size from the same resource, with undefined contents. Of owned memory only.
  Memory clone() const { return allocate(*resource_, bytes_, queue_, alignment_); }

  Memory(Memory&& other) noexcept { swap(other); }
  Memory& operator=(Memory&& other) noexcept {
    Memory(std::move(other)).swap(*this);
    return *this;
  }
  ~Memory() {
    if (ownership_ == Ownership::owned) resource_->deallocate(queue_, data_, bytes_, alignment_);
  }

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  Place place() const { return place_; }
  Ownership ownership() const { return ownership_; }

 private:
  void swap(Memory& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(place_, other.place_);
    std::swap(resource_, other.resource_);
    std::swap(queue_, other.queue_);
    std::swap(alignment_, other.alignment_);
    std::swap(ownership_, other.ownership_);
  }

  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  Place place_;
  Resource* resource_ = nullptr;
  Queue queue_;
  std::size_t alignment_ = 256;
  Ownership ownership_ = Ownership::wrapped;
};

// The first `bytes` bytes. In the order of the queue; without one, done on return. Needs a device unless both
// are host memory. Throws DeviceError.
void copy(Device* device, Queue queue, const Memory& to, const Memory& from, std::size_t bytes);

}  // namespace meander::gpu
