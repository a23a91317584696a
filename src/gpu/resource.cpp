// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/resource.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>

#include "base/process.hpp"
#include "gpu/device.hpp"

namespace meander::gpu {

const char* name(Space space) {
  constexpr const char* names[] = {"host", "pinned", "device", "managed"};
  return names[static_cast<int>(space)];
}

namespace {

std::string sentence(const OutOfMemory& error) {
  std::string text =
      error.place.space == Space::host
          ? std::string("out of memory")
          : fmt::format("out of {} memory on device {}", name(error.place.space), error.place.device);
  text += fmt::format(": {} bytes requested, {} in use", error.requested, error.in_use);
  if (error.idle > 0) text += fmt::format(", {} idle or in flight", error.idle);
  if (error.quota > 0) text += fmt::format(", {} allowed", error.quota);
  return text;
}

}  // namespace

OutOfMemory::OutOfMemory(std::size_t requested_bytes, std::size_t in_use_bytes, Place where,
                         std::size_t idle_bytes, std::size_t quota_bytes)
    : requested(requested_bytes), in_use(in_use_bytes), place(where), idle(idle_bytes), quota(quota_bytes) {
  message = sentence(*this);
}

Stats& Stats::operator+=(const Stats& other) {
  live_bytes += other.live_bytes;
  peak_bytes += other.peak_bytes;
  allocations += other.allocations;
  held_bytes += other.held_bytes;
  peak_held_bytes += other.peak_held_bytes;
  fragmentation_bytes += other.fragmentation_bytes;
  hits += other.hits;
  from_other_threads += other.from_other_threads;
  waited += other.waited;
  device_allocations += other.device_allocations;
  device_releases += other.device_releases;
  while_busy += other.while_busy;
  evictions += other.evictions;
  trimmed += other.trimmed;
  splits += other.splits;
  queue_waits += other.queue_waits;
  fallbacks += other.fallbacks;
  failures += other.failures;
  return *this;
}

void* Resource::allocate(Queue, std::size_t bytes, std::size_t alignment) {
  return allocate_sync(bytes, alignment);
}

void* Resource::try_allocate(Queue queue, std::size_t bytes, std::size_t alignment) {
  try {
    return allocate(queue, bytes, alignment);
  } catch (const OutOfMemory&) {
    return nullptr;
  }
}

void Resource::deallocate(Queue queue, void* pointer, std::size_t bytes, std::size_t alignment) noexcept {
  if (pointer == nullptr) return;
  if (!queue.synchronous()) queue.device().settle(mark(queue));
  deallocate_sync(pointer, bytes, alignment);
}

std::size_t Resource::trim(std::size_t) {
  return 0;
}

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
