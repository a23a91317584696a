// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An array of trivially copyable items in device memory, with the host memory from which it is uploaded.

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpu/device.hpp"

namespace meander::gpu {

// The memory of one array, which never shrinks. All work that uses the array must be submitted to the queue
// of its calls.
template <class T>
class DeviceArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // Both outlive the array.
  DeviceArray(Device& device, Resource& memory) : device_(device), memory_(memory) {}
  ~DeviceArray() { memory_.deallocate_sync(data_, capacity_ * sizeof(T)); }
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
      const std::size_t capacity = std::max(size, capacity_ + capacity_ / 4);
      T* const moved = static_cast<T*>(memory_.allocate_sync(capacity * sizeof(T)));
      memory_.deallocate_sync(data_, capacity_ * sizeof(T));
      data_ = moved;
      capacity_ = capacity;
    }
    size_ = size;
  }
  // Takes the items and submits their copy to the device. Requires that no earlier upload is under way.
  void upload(Queue queue, std::vector<T> items) {
    resize(queue, items.size());
    host_ = std::move(items);
    if (size_ > 0) device_.copy(queue, Copy::in, data_, host_.data(), size_ * sizeof(T));
  }
  // The items of the last upload.
  std::span<const T> host() const { return host_; }

 private:
  Device& device_;
  Resource& memory_;
  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
  std::vector<T> host_;
};

}  // namespace meander::gpu
