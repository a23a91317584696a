// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The device in whose memory a rank's patches live.

#include <memory>
#include <utility>

#include "gpu/device.hpp"
#include "gpu/memory_cache.hpp"

namespace meander::tasks {

// A device and the cache that owns all memory that Meander uses there.
struct ResidentDevice {
  std::shared_ptr<gpu::Quota> quota;  // shared with other ranks, or null
  std::unique_ptr<gpu::Device> device;
  std::unique_ptr<gpu::MemoryCache> memory;

  ResidentDevice(std::unique_ptr<gpu::Device> one, gpu::CacheTraits traits,
                 std::shared_ptr<gpu::Quota> shared)
      : quota(std::move(shared)), device(std::move(one)) {
    traits.quota = quota.get();
    memory = std::make_unique<gpu::MemoryCache>(*device, gpu::Space::device, traits);
  }
};

}  // namespace meander::tasks
