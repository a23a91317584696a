// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A resource that forwards to another one and fails at a given allocation.

#include <functional>
#include <utility>

#include "gpu/resource.hpp"

namespace meander::gpu::test {

class FailingResource final : public Resource {
 public:
  // Calls `fail`, which throws or returns, at the given allocation, counted from 1; 0: at none.
  FailingResource(Resource& resource, int failing, std::function<void()> fail)
      : resource_(resource), failing_(failing), fail_(std::move(fail)) {}

  // Null if `fail` returned.
  void* allocate(Queue queue, std::size_t bytes, std::size_t alignment) override {
    if (fails()) return nullptr;
    return resource_.allocate(queue, bytes, alignment);
  }
  void deallocate(Queue queue, void* pointer, std::size_t bytes, std::size_t alignment) noexcept override {
    resource_.deallocate(queue, pointer, bytes, alignment);
  }
  void* allocate_sync(std::size_t bytes, std::size_t alignment) override {
    if (fails()) return nullptr;
    return resource_.allocate_sync(bytes, alignment);
  }
  void deallocate_sync(void* pointer, std::size_t bytes, std::size_t alignment) noexcept override {
    resource_.deallocate_sync(pointer, bytes, alignment);
  }
  std::size_t available() const noexcept override { return resource_.available(); }
  Place place() const noexcept override { return resource_.place(); }
  Stats stats() const noexcept override { return resource_.stats(); }
  int allocations() const { return allocations_; }

 private:
  bool fails() {
    if (++allocations_ != failing_) return false;
    fail_();
    return true;
  }

  Resource& resource_;
  const int failing_;
  const std::function<void()> fail_;
  int allocations_ = 0;
};

}  // namespace meander::gpu::test
