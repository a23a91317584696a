// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The device in whose memory a rank's patches live.

#include <memory>
#include <utility>

#include "gpu/device.hpp"
#include "gpu/memory_cache.hpp"

namespace meander::tasks {

// A device, the cache that owns all memory that Meander uses there, and page-locked host memory for messages and
// other copies. Where the device has none left, that is ordinary memory.
struct ResidentDevice {
  std::shared_ptr<gpu::Quota> quota;  // shared with other ranks, or null
  std::unique_ptr<gpu::Device> device;
  std::unique_ptr<gpu::MemoryCache> memory, messages;
  bool messages_in_place = false;  // mesh::DeviceLaunches::messages_in_place

  ResidentDevice(std::unique_ptr<gpu::Device> one, gpu::CacheTraits traits,
                 std::shared_ptr<gpu::Quota> shared)
      : quota(std::move(shared)), device(std::move(one)) {
    traits.quota = quota.get();
    memory = std::make_unique<gpu::MemoryCache>(*device, gpu::Space::device, traits);
    gpu::CacheTraits of_messages;
    of_messages.fallback = gpu::Fallback::resource;
    of_messages.fallback_resource = &gpu::host_memory();
    messages = std::make_unique<gpu::MemoryCache>(*device, gpu::Space::pinned, of_messages);
  }
};

}  // namespace meander::tasks
