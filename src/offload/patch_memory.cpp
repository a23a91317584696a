// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "offload/patch_memory.hpp"

#include <algorithm>

namespace meander::offload {

void* PatchMemory::allocate_sync(std::size_t bytes, std::size_t alignment) {
  if (bytes == 0) return nullptr;
  void* pointer = nullptr;
  try {
    pointer = device_.allocate(place_.space, bytes);
  } catch (const gpu::OutOfMemory&) {
  } catch (const gpu::DeviceError&) {
    // A lost device does not stop the run: the host has memory.
  }
  const bool of_device = pointer != nullptr;
  if (!of_device) pointer = gpu::host_memory().allocate_sync(bytes, alignment);
  const std::lock_guard lock(mutex_);
  blocks_.emplace(pointer, of_device);
  ++stats_.allocations;
  if (!of_device) ++stats_.fallbacks;
  stats_.live_bytes += bytes;
  stats_.peak_bytes = std::max(stats_.peak_bytes, stats_.live_bytes);
  return pointer;
}

void PatchMemory::deallocate_sync(void* pointer, std::size_t bytes, std::size_t alignment) noexcept {
  if (pointer == nullptr) return;
  bool of_device = false;
  {
    const std::lock_guard lock(mutex_);
    const auto block = blocks_.find(pointer);
    of_device = block != blocks_.end() && block->second;
    if (block != blocks_.end()) blocks_.erase(block);
    stats_.live_bytes -= bytes;
  }
  if (of_device) {
    device_.deallocate(place_.space, pointer);
  } else {
    gpu::host_memory().deallocate_sync(pointer, bytes, alignment);
  }
}

gpu::Stats PatchMemory::stats() const noexcept {
  const std::lock_guard lock(mutex_);
  return stats_;
}

}  // namespace meander::offload
