// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/device_resources.hpp"

#include <algorithm>

namespace meander::gpu {

LiveBlocks::~LiveBlocks() {
  if (!blocks_.empty()) report_misuse({Misuse::leak, blocks_.begin()->first, live_, blocks_.size(), place_});
}

void LiveBlocks::add(void* pointer, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  blocks_[pointer] = bytes;
  live_ += bytes;
  peak_ = std::max(peak_, live_);
  ++allocations_;
}

bool LiveBlocks::remove(void* pointer, std::size_t bytes) noexcept {
  MisuseReport report{Misuse::foreign, pointer, bytes, 0, place_};
  {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(pointer);
    if (found != blocks_.end() && found->second == bytes) {
      live_ -= bytes;
      blocks_.erase(found);
      return true;
    }
    const auto* address = static_cast<const char*>(pointer);
    for (const auto& [begin, length] : blocks_) {
      if (address < begin || address >= static_cast<char*>(begin) + length) continue;
      report.kind = address == begin ? Misuse::wrong_size : Misuse::interior;
      report.expected = length;
    }
  }
  report_misuse(report);
  return false;
}

std::size_t LiveBlocks::bytes() const {
  const std::lock_guard lock(mutex_);
  return live_;
}

Stats LiveBlocks::stats() const {
  const std::lock_guard lock(mutex_);
  Stats stats;
  stats.live_bytes = stats.held_bytes = live_;
  stats.peak_bytes = stats.peak_held_bytes = peak_;
  stats.allocations = stats.device_allocations = allocations_;
  return stats;
}

// ---- DirectMemory

DirectMemory::DirectMemory(Device& device, Space space)
    : device_(device), place_{space, device.properties().number}, live_(place_) {}

DirectMemory::~DirectMemory() {
  reap(InFlight::wait);
}

std::size_t DirectMemory::reap(InFlight in_flight) noexcept {
  std::vector<Pending> all;
  {
    const std::lock_guard lock(mutex_);
    all.swap(pending_);
  }
  std::vector<Pending> not_yet;
  std::size_t freed = 0;
  for (const Pending& block : all) {
    QueueState* queue = block.last_use.queue;
    if (!block.last_use.known_complete())
      in_flight == InFlight::wait ? device_.settle(block.last_use) : device_.refresh(*queue);
    if (!block.last_use.known_complete()) {
      not_yet.push_back(block);
      continue;
    }
    device_.deallocate(place_.space, block.pointer);
    releases_.fetch_add(1);
    freed += block.bytes;
  }
  const std::lock_guard lock(mutex_);
  pending_.insert(pending_.end(), not_yet.begin(), not_yet.end());
  return freed;
}

void* DirectMemory::allocate(Queue, std::size_t bytes, std::size_t alignment) {
  return allocate_sync(bytes, alignment);
}

void* DirectMemory::allocate_sync(std::size_t bytes, std::size_t) {
  if (bytes == 0) return nullptr;
  reap(InFlight::keep);
  if (device_.busy()) while_busy_.fetch_add(1);
  void* pointer = nullptr;
  try {
    pointer = device_.allocate(place_.space, bytes);
  } catch (const OutOfMemory&) {
    if (reap(InFlight::wait) == 0) throw;
    pointer = device_.allocate(place_.space, bytes);
  }
  live_.add(pointer, bytes);
  return pointer;
}

void DirectMemory::deallocate(Queue queue, void* pointer, std::size_t bytes, std::size_t) noexcept {
  if (pointer == nullptr || !live_.remove(pointer, bytes)) return;
  const Event last_use = mark(queue);
  {
    const std::lock_guard lock(mutex_);
    pending_.push_back({last_use, pointer, bytes});
  }
  reap(InFlight::keep);
}

void DirectMemory::deallocate_sync(void* pointer, std::size_t bytes, std::size_t alignment) noexcept {
  deallocate(Queue{}, pointer, bytes, alignment);
}

std::size_t DirectMemory::available() const noexcept {
  return device_.available();
}

Stats DirectMemory::stats() const noexcept {
  Stats stats = live_.stats();
  stats.while_busy = while_busy_.load();
  stats.device_releases = releases_.load();
  return stats;
}

std::size_t DirectMemory::trim(std::size_t) {
  return reap(InFlight::keep);
}

// ---- OrderedMemory

namespace {

Queue queue_of(Device& device) {
  if (!device.properties().ordered)
    throw DeviceError(device.properties().name + " has no memory pool of its own", false);
  return device.create_queue();
}

}  // namespace

OrderedMemory::OrderedMemory(Device& device)
    : device_(device),
      place_{Space::device, device.properties().number},
      queue_(queue_of(device)),
      live_(place_) {}

OrderedMemory::~OrderedMemory() {
  device_.destroy_queue(queue_);
}

void* OrderedMemory::allocate(Queue queue, std::size_t bytes, std::size_t alignment) {
  if (bytes == 0) return nullptr;
  if (queue.synchronous()) return allocate_sync(bytes, alignment);
  void* pointer = device_.allocate_ordered(queue, bytes);
  live_.add(pointer, bytes);
  return pointer;
}

void* OrderedMemory::allocate_sync(std::size_t bytes, std::size_t) {
  if (bytes == 0) return nullptr;
  void* pointer = device_.allocate_ordered(queue_, bytes);
  live_.add(pointer, bytes);
  device_.wait(device_.record(queue_));
  return pointer;
}

void OrderedMemory::deallocate(Queue queue, void* pointer, std::size_t bytes, std::size_t) noexcept {
  if (pointer == nullptr || !live_.remove(pointer, bytes)) return;
  device_.deallocate_ordered(queue.synchronous() ? queue_ : queue, pointer);
}

void OrderedMemory::deallocate_sync(void* pointer, std::size_t bytes, std::size_t alignment) noexcept {
  deallocate(Queue{}, pointer, bytes, alignment);
}

}  // namespace meander::gpu
