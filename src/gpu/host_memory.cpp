// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>

#include "base/process.hpp"
#include "gpu/resource.hpp"

namespace meander::gpu {

namespace {

class HostMemory final : public Resource {
 public:
  void* allocate_sync(std::size_t bytes, std::size_t alignment) override {
    if (bytes == 0) return nullptr;
    // Linux overcommits: it would grant a large block that does not exist. The query costs more than the
    // allocation of a small block, so it is limited to large ones.
    if (bytes > least_checked && bytes > available()) throw OutOfMemory(bytes, live_.load(), place());
    void* pointer = std::aligned_alloc(alignment, round_up(bytes, alignment));
    if (pointer == nullptr) throw OutOfMemory(bytes, live_.load(), place());
    allocations_.fetch_add(1);
    const std::size_t live = live_.fetch_add(bytes) + bytes;
    std::size_t peak = peak_.load();
    while (live > peak && !peak_.compare_exchange_weak(peak, live)) {
    }
    return pointer;
  }

  void deallocate_sync(void* pointer, std::size_t bytes, std::size_t) noexcept override {
    if (pointer == nullptr) return;
    std::free(pointer);
    live_.fetch_sub(bytes);
  }

  std::size_t available() const noexcept override {
    constexpr auto all = static_cast<double>(std::numeric_limits<std::size_t>::max() / 2);
    return static_cast<std::size_t>(std::min(available_memory(), all));
  }

  Place place() const noexcept override { return {Space::host, 0}; }

  Stats stats() const noexcept override {
    Stats stats;
    stats.live_bytes = live_.load();
    stats.peak_bytes = peak_.load();
    stats.allocations = allocations_.load();
    return stats;
  }

 private:
  static constexpr std::size_t least_checked = std::size_t{1} << 30;

  static std::size_t round_up(std::size_t bytes, std::size_t alignment) {
    return (bytes + alignment - 1) / alignment * alignment;
  }
  std::atomic<std::size_t> live_{0}, peak_{0}, allocations_{0};
};

}  // namespace

Resource& host_memory() {
  static HostMemory memory;
  return memory;
}

}  // namespace meander::gpu
