// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A Resource as a std::pmr::memory_resource, for containers in host, pinned or managed memory.

#include <memory_resource>

#include "gpu/resource.hpp"

namespace meander::gpu {

class PmrResource final : public std::pmr::memory_resource {
 public:
  // Which outlives it, and whose memory the host reaches.
  explicit PmrResource(Resource& resource) : resource_(resource) {}
  Resource& resource() const { return resource_; }

 private:
  // Resources give null for nothing; allocators must not.
  static std::size_t at_least_one(std::size_t bytes) { return bytes == 0 ? 1 : bytes; }

  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return resource_.allocate_sync(at_least_one(bytes), alignment);
  }
  void do_deallocate(void* pointer, std::size_t bytes, std::size_t alignment) override {
    resource_.deallocate_sync(pointer, at_least_one(bytes), alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    const auto* same = dynamic_cast<const PmrResource*>(&other);
    return same != nullptr && &same->resource_ == &resource_;
  }

  Resource& resource_;
};

}  // namespace meander::gpu
