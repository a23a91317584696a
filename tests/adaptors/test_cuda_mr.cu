// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Adaptor to the memory resource concepts of CCCL. Requires no GPU.
#ifndef LIBCUDACXX_ENABLE_EXPERIMENTAL_MEMORY_RESOURCE
#define LIBCUDACXX_ENABLE_EXPERIMENTAL_MEMORY_RESOURCE
#endif
#include <gtest/gtest.h>

#include "adaptors/cuda_mr.hpp"
#include "gpu/host_device.hpp"
#include "gpu/memory_cache.hpp"

namespace meander::gpu {
namespace {

using OnDevice = CudaMrResource<::cuda::mr::device_accessible>;
using OnBoth = CudaMrResource<::cuda::mr::device_accessible, ::cuda::mr::host_accessible>;

#if CCCL_VERSION >= 3001000
static_assert(::cuda::mr::synchronous_resource_with<OnDevice, ::cuda::mr::device_accessible>);
static_assert(::cuda::mr::resource_with<OnBoth, ::cuda::mr::host_accessible, ::cuda::mr::device_accessible>);
#else
static_assert(::cuda::mr::resource_with<OnDevice, ::cuda::mr::device_accessible>);
static_assert(
    ::cuda::mr::async_resource_with<OnBoth, ::cuda::mr::host_accessible, ::cuda::mr::device_accessible>);
#endif
static_assert(::cuda::has_property<OnDevice, ::cuda::mr::device_accessible>);
static_assert(!::cuda::has_property<OnDevice, ::cuda::mr::host_accessible>);

TEST(CudaMrResource, AllocatesFromTheCache) {
  HostDevice device;
  MemoryCache cache(device, Space::device), other(device, Space::device);
  OnDevice resource(cache);
  EXPECT_TRUE(resource == OnDevice(cache));
  EXPECT_TRUE(resource != OnDevice(other));
  void* block = resource.allocate_sync(1000, 256);
  EXPECT_EQ(cache.stats().live_bytes, 1000u);
  resource.deallocate_sync(block, 1000, 256);
  EXPECT_EQ(resource.allocate(1000, 256), block);
  resource.deallocate(block, 1000, 256);
  EXPECT_EQ(cache.stats().live_bytes, 0u);
}

}  // namespace
}  // namespace meander::gpu
