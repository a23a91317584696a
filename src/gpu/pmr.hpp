// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Adaptor from Resource to std::pmr::memory_resource, for containers in host, pinned or managed memory.
//
// Public interface, also for programs that build on the library and keep their own data in memory that kernels
// can access, without copies:
//
//   MemoryCache cache(device, Space::managed);
//   PmrResource resource(cache);
//   std::pmr::vector<double> samples(&resource);

#include <memory_resource>

#include "gpu/resource.hpp"

namespace meander::gpu {

// Thread-safe, as the resource is. Adaptors of the same resource are equal.
class PmrResource final : public std::pmr::memory_resource {
 public:
  // `resource` must outlive the adaptor, and the host must be able to access its memory.
  explicit PmrResource(Resource& resource) : resource_(resource) {}
  Resource& resource() const { return resource_; }

 private:
  // A Resource returns null for 0 bytes; std::pmr does not allow null.
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
