// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A buffer of doubles for messages, in memory of any resource: page-locked memory where a device copies to and
// from it. Moving a buffer does not move its contents, so that persistent MPI requests stay valid
// (std::pmr::vector copies between resources).

#include <cstddef>
#include <memory_resource>
#include <utility>

namespace meander::parallel {

class MessageBuffer {
 public:
  MessageBuffer() = default;
  // Contents are undefined. The resource outlives the buffer. Throws what the resource throws.
  MessageBuffer(std::pmr::memory_resource& memory, std::size_t doubles)
      : memory_(&memory),
        data_(static_cast<double*>(memory.allocate(doubles * sizeof(double), alignment))),
        size_(doubles) {}
  MessageBuffer(MessageBuffer&& other) noexcept { swap(other); }
  MessageBuffer& operator=(MessageBuffer&& other) noexcept {
    MessageBuffer(std::move(other)).swap(*this);
    return *this;
  }
  MessageBuffer(const MessageBuffer&) = delete;
  MessageBuffer& operator=(const MessageBuffer&) = delete;
  ~MessageBuffer() {
    if (memory_ != nullptr) memory_->deallocate(data_, size_ * sizeof(double), alignment);
  }

  double* data() { return data_; }
  const double* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t alignment = 64;
  void swap(MessageBuffer& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  std::pmr::memory_resource* memory_ = nullptr;
  double* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace meander::parallel
