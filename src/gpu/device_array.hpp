// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An array of trivially copyable items in device memory, with the host memory from which it is uploaded.

#include <algorithm>
#include <cstddef>
#include <memory_resource>
#include <span>
#include <type_traits>

#include "gpu/device.hpp"

namespace meander::gpu {

// The memory of one array, here and on the host, which never shrinks: tables that are made again and again cost neither
// allocations nor page faults. All work that uses the array must be submitted to the queue of its calls.
template <class T>
class DeviceArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // All outlive the array. host: of what is uploaded; page-locked memory, so that the host does not wait for large arrays.
  DeviceArray(Device& device, Resource& memory,
              std::pmr::memory_resource& host = *std::pmr::new_delete_resource())
      : device_(device), memory_(memory), host_memory_(host) {}
  ~DeviceArray() {
    memory_.deallocate_sync(data_, capacity_ * sizeof(T));
    if (host_ != nullptr) host_memory_.deallocate(host_, host_capacity_ * sizeof(T), alignof(T));
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return capacity_ * sizeof(T); }

  // Sets the size; the contents are undefined. Waits for the queue if the array has to move. Throws
  // OutOfMemory, DeviceError; the array is unchanged then.
  void resize(Queue queue, std::size_t size) {
    if (size > capacity_) {
      device_.synchronize(queue);
      const std::size_t capacity = grown(size, capacity_);
      T* const moved = static_cast<T*>(memory_.allocate_sync(capacity * sizeof(T)));
      memory_.deallocate_sync(data_, capacity_ * sizeof(T));
      data_ = moved;
      capacity_ = capacity;
    }
    size_ = size;
  }
  // As resize(). Returns the host memory of the items, whose contents are undefined, for submit(). Requires that no earlier
  // upload is under way. Throws also what the host memory throws.
  std::span<T> stage(Queue queue, std::size_t size) {
    resize(queue, size);
    if (size > host_capacity_) {
      const std::size_t capacity = grown(size, host_capacity_);
      void* const moved = host_memory_.allocate(capacity * sizeof(T), alignof(T));
      if (host_ != nullptr) host_memory_.deallocate(host_, host_capacity_ * sizeof(T), alignof(T));
      host_ = static_cast<T*>(moved);
      host_capacity_ = capacity;
    }
    return {host_, size};
  }
  // Submits the copy of the staged items to the device.
  void submit(Queue queue) {
    if (size_ > 0) device_.copy(queue, Copy::in, data_, host_, size_ * sizeof(T));
  }
  void upload(Queue queue, std::span<const T> items) {
    std::ranges::copy(items, stage(queue, items.size()).begin());
    submit(queue);
  }
  // The items of the last upload.
  std::span<const T> host() const { return {host_, size_}; }

 private:
  static std::size_t grown(std::size_t size, std::size_t capacity) {
    return std::max(size, capacity + capacity / 4);
  }

  Device& device_;
  Resource& memory_;
  std::pmr::memory_resource& host_memory_;
  T *data_ = nullptr, *host_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0, host_capacity_ = 0;
};

}  // namespace meander::gpu
