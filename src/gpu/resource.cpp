// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/resource.hpp"

#include <fmt/format.h>

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

}  // namespace meander::gpu
