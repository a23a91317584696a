// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Adaptor from Resource to the memory resource concepts of CCCL (cuda::mr), with the member names of CCCL 3.0
// and of 3.1 and later. CCCL 3.0 requires LIBCUDACXX_ENABLE_EXPERIMENTAL_MEMORY_RESOURCE to be defined before
// any CUDA header.
//
// Public interface. Meander itself does not use it: it serves CUDA programs that build on the library and
// pass a MemoryCache to other libraries that accept cuda::mr resources. It requires the headers of the CUDA
// toolkit:
//
//   meander::gpu::MemoryCache cache(device, meander::gpu::Space::device);
//   meander::gpu::CudaMrResource<cuda::mr::device_accessible> resource(cache);

#include <cuda/memory_resource>
#include <cuda/stream_ref>

#include "gpu/resource.hpp"

namespace meander::gpu {

// Properties: cuda::mr::device_accessible, host_accessible; they must hold for the space of the resource.
// Copies refer to the same resource, and compare equal. Thread-safe, as the resource is. Allocation throws
// what Resource::allocate_sync throws.
template <class... Properties>
class CudaMrResource {
 public:
  // `resource` must outlive the adaptor and its copies. The resource does not know the streams of the caller.
  // Hence memory allocated on a stream can be used immediately from any stream, and deallocation on a stream
  // waits for the work of that stream.
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

  // Member names of CCCL 3.0.
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
    // A failed stream no longer uses memory; the next synchronisation of the caller reports the failure.
    if (cudaStreamSynchronize(stream.get()) != cudaSuccess) cudaGetLastError();
  }

  Resource* resource_;
};

}  // namespace meander::gpu
