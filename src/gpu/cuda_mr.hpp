// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A Resource as a resource of CCCL's cuda::mr, of the names of 3.1 and later as well as those of 3.0. Where
// LIBCUDACXX_ENABLE_EXPERIMENTAL_MEMORY_RESOURCE is wanted (3.0), define it before any header of CUDA.

#include <cuda/memory_resource>
#include <cuda/stream_ref>

#include "gpu/resource.hpp"

namespace meander::gpu {

// Properties: cuda::mr::device_accessible, host_accessible, as is true of the resource's place.
template <class... Properties>
class CudaMrResource {
 public:
  // Which outlives it. For streams it does not know: what a stream is given may be used at once, and what a
  // stream gives back is waited for.
  explicit CudaMrResource(Resource& resource) : resource_(&resource) {}
  Resource& resource() const { return *resource_; }

  void* allocate_sync(std::size_t bytes, std::size_t alignment = 256) {
    return resource_->allocate_sync(bytes, alignment);
  }
  void deallocate_sync(void* pointer, std::size_t bytes, std::size_t alignment = 256) noexcept {
    resource_->deallocate_sync(pointer, bytes, alignment);
  }
  void* allocate(::cuda::stream_ref, std::size_t bytes, std::size_t alignment = 256) {
    return allocate_sync(bytes, alignment);
  }
  void deallocate(::cuda::stream_ref stream, void* pointer, std::size_t bytes,
                  std::size_t alignment = 256) noexcept {
    wait_for(stream);
    deallocate_sync(pointer, bytes, alignment);
  }

  // The names of 3.0.
  void* allocate(std::size_t bytes, std::size_t alignment = 256) { return allocate_sync(bytes, alignment); }
  void deallocate(void* pointer, std::size_t bytes, std::size_t alignment = 256) noexcept {
    deallocate_sync(pointer, bytes, alignment);
  }
  void* allocate_async(std::size_t bytes, std::size_t alignment, ::cuda::stream_ref) {
    return allocate_sync(bytes, alignment);
  }
  void deallocate_async(void* pointer, std::size_t bytes, std::size_t alignment,
                        ::cuda::stream_ref stream) noexcept {
    deallocate(stream, pointer, bytes, alignment);
  }

  friend bool operator==(const CudaMrResource& a, const CudaMrResource& b) {
    return a.resource_ == b.resource_;
  }
  friend bool operator!=(const CudaMrResource& a, const CudaMrResource& b) { return !(a == b); }
  template <class Property>
  requires(std::is_same_v<Property, Properties> || ...) friend void get_property(const CudaMrResource&,
                                                                                 Property) noexcept {}

 private:
  static void wait_for(::cuda::stream_ref stream) noexcept {
    // What fails there fails for whoever waits next, and uses no memory any more.
    if (cudaStreamSynchronize(stream.get()) != cudaSuccess) cudaGetLastError();
  }

  Resource* resource_;
};

}  // namespace meander::gpu
