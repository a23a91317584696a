// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Memory for patches that a device copies from at full bandwidth (pinned) or accesses directly (managed).

#include <atomic>
#include <mutex>
#include <unordered_map>

#include "gpu/device.hpp"

namespace meander::offload {

// Where the device has no memory left, blocks are host memory, and batches are copied from pageable memory.
// Blocks are few and large, and are allocated between sweeps only.
class PatchMemory final : public gpu::Resource {
 public:
  // Space: pinned, or managed if the device supports it. The device outlives this.
  PatchMemory(gpu::Device& device, gpu::Space space)
      : device_(device), place_{space, device.properties().number} {}

  void* allocate_sync(std::size_t bytes, std::size_t alignment = 256) override;
  void deallocate_sync(void* pointer, std::size_t bytes, std::size_t alignment = 256) noexcept override;
  std::size_t available() const noexcept override { return gpu::host_memory().available(); }
  gpu::Place place() const noexcept override { return place_; }
  gpu::Stats stats() const noexcept override;

 private:
  gpu::Device& device_;
  const gpu::Place place_;
  mutable std::mutex mutex_;
  std::unordered_map<void*, bool> blocks_;  // true: of the device; false: of the host
  gpu::Stats stats_;
};

}  // namespace meander::offload
