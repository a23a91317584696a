// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// RAII handle of a block of host or device memory with explicit ownership, after SUNMemory of SUNDIALS.
//
// Public interface. Meander itself does not use it: it serves programs that build on the library, for data of
// their own in device memory, for instance in a diagnostic or beside the solver:
//
//   MemoryCache cache(device, Space::device);
//   const Memory on_device = Memory::allocate(cache, bytes, queue);
//   const Memory on_host = Memory::wrap(values.data(), bytes, {Space::host, 0});
//   copy(&device, queue, on_device, on_host, bytes);
//
// A Memory is not thread-safe: one thread at a time may move or destroy it.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "gpu/device.hpp"
#include "gpu/resource.hpp"

namespace meander::gpu {

// owned: the destructor of Memory deallocates the block. wrapped: the block belongs to the caller, who keeps
// it allocated. aliased: the block belongs to another Memory, which must outlive this one.
enum class Ownership : std::uint8_t { owned, wrapped, aliased };

class Memory {
 public:
  Memory() = default;
  // Throws what Resource::allocate throws. The block is deallocated in the order of the same queue.
  // `resource` must outlive the Memory.
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
  // An owned block of the same size from the same resource, with undefined contents. Requires owned memory.
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
  bool on_device() const { return place().space == Space::device || place().space == Space::managed; }
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

// Copies the first `bytes` bytes, in the order of the queue; without a queue, the copy has ended on return.
// Requires a device unless both are host memory and there is no queue. Throws DeviceError.
inline void copy(Device* device, Queue queue, const Memory& to, const Memory& from, std::size_t bytes) {
  if (bytes > to.bytes() || bytes > from.bytes())
    throw DeviceError("the copy exceeds the size of the memory", false);
  if (bytes == 0) return;
  const bool in = to.on_device(), out = from.on_device();
  if (!in && !out && queue.synchronous()) {
    std::memmove(to.data(), from.data(), bytes);
    return;
  }
  if (device == nullptr) throw DeviceError("a copy from or to a device requires the device", false);
  if (!in && !out) {
    device->call_host(
        queue, [target = to.data(), source = from.data(), bytes] { std::memmove(target, source, bytes); });
    return;
  }
  const Queue used = queue.synchronous() ? device->create_queue() : queue;
  const Copy direction = in && out ? Copy::within : in ? Copy::in : Copy::out;
  try {
    device->copy(used, direction, to.data(), from.data(), bytes);
    if (queue.synchronous()) device->synchronize(used);
  } catch (...) {
    if (queue.synchronous()) device->destroy_queue(used);
    throw;
  }
  if (queue.synchronous()) device->destroy_queue(used);
}

}  // namespace meander::gpu
