// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Blocks cut in two where memory is short, and put together again. Without, a mix of sizes holds the most
// that each size ever took, or asks the device for what it has just been given back.
#include <algorithm>

#include "gpu/cache_search.hpp"

namespace meander::gpu {

namespace {

// No part is smaller, for it keeps the device's whole block from being given back as long as it is live: with
// eighths, 32 threads held more than without parts.
constexpr std::size_t most_parts = 4;

const Block* device_block(const Block* block) {
  while (block->whole != nullptr) block = block->whole;
  return block;
}

}  // namespace

// A part of the smallest idle block that is larger than what has been looked for already.
Block* MemoryCache::carve(Search& search) {
  const int last =
      std::min(size_class(std::min(largest_class_bytes, most_parts * search.bytes)), size_classes - 1);
  for (int larger = search.size_class + larger_classes + 1; larger <= last; ++larger) {
    const auto number = static_cast<std::size_t>(larger);
    if ((classes_in_use_[number / 64].load(std::memory_order_relaxed) >> (number % 64) & 1) == 0) continue;
    Block* const whole = search_idle(search, larger, Readiness::over_or_same_queue);
    if (whole == nullptr) continue;
    if (class_bytes(device_block(whole)->size_class) > most_parts * search.bytes) {
      make_idle(whole);
      continue;
    }
    const auto [part, rest] = cut(whole, search.size_class);
    make_idle(rest);
    return part;
  }
  return nullptr;
}

// The block is nobody's, and at least an alignment larger than the class.
std::pair<Block*, Block*> MemoryCache::cut(Block* whole, int wanted) {
  const std::size_t begin =
      (class_bytes(wanted) + traits_.alignment - 1) / traits_.alignment * traits_.alignment;
  const std::size_t left = class_bytes(whole->size_class) - begin;
  int rest_class = size_class(left);
  if (class_bytes(rest_class) > left) --rest_class;
  for (const int number : {wanted, rest_class}) note_class(number);
  const std::lock_guard lock(registry_mutex_);
  char* const pointer = static_cast<char*>(whole->pointer.load(std::memory_order_relaxed));
  table_.erase(pointer);
  whole->state.store(BlockState::carved, std::memory_order_relaxed);
  const auto make = [&](char* at, int number_of_class) {
    Block* part = new_block();
    part->raw = nullptr;
    part->from_fallback = false;
    part->size_class = static_cast<std::uint16_t>(number_of_class);
    part->whole = whole;
    part->last_use = whole->last_use;
    part->idle_since = whole->idle_since;
    part->requested.store(0, std::memory_order_relaxed);
    part->pointer.store(at, std::memory_order_relaxed);
    part->state.store(BlockState::idle, std::memory_order_relaxed);
    table_.insert(part);
    return part;
  };
  parts_.fetch_add(2, std::memory_order_relaxed);
  carved_.fetch_add(1, std::memory_order_relaxed);
  Block* const part = make(pointer, wanted);
  return {part, make(pointer + begin, rest_class)};
}

void MemoryCache::make_idle(Block* block) {
  Shard& shard = own_shard();
  const std::lock_guard lock(shard);
  std::atomic<Block*>& head = shard.idle[block->size_class];
  block->next = head.load(std::memory_order_relaxed);
  head.store(block, std::memory_order_relaxed);
}

// All whose two parts are idle, not in flight, and idle since before the given time. True if there were any.
bool MemoryCache::put_together(std::int64_t idle_before) {
  bool any = false;
  for (bool again = parts_.load(std::memory_order_relaxed) > 0; again;) {
    again = false;
    std::vector<Idle> idle = idle_since_before(idle_before);
    std::erase_if(idle, [](const Idle& one) { return one.whole == nullptr; });
    std::sort(idle.begin(), idle.end(), [](const Idle& a, const Idle& b) { return a.whole < b.whole; });
    for (std::size_t i = 0; i + 1 < idle.size(); ++i) {
      const Idle &one = idle[i], &other = idle[i + 1];
      if (one.whole != other.whole) continue;
      if (!unlink(one)) continue;
      if (!unlink(other)) {
        make_idle(one.block);
        continue;
      }
      merge(one.block, other.block);
      any = again = true;
    }
  }
  return any;
}

// Both are nobody's.
void MemoryCache::merge(Block* part, Block* other) {
  Block* const whole = part->whole;
  whole->idle_since = std::max(part->idle_since, other->idle_since);
  whole->last_use = {};
  {
    const std::lock_guard lock(registry_mutex_);
    for (Block* gone : {part, other}) {
      table_.erase(gone->pointer.load(std::memory_order_relaxed));
      gone->pointer.store(nullptr, std::memory_order_relaxed);
      gone->state.store(BlockState::released, std::memory_order_relaxed);
      spare_blocks_.push_back(gone);
    }
    whole->state.store(BlockState::idle, std::memory_order_relaxed);
    table_.insert(whole);
  }
  parts_.fetch_sub(2, std::memory_order_relaxed);
  make_idle(whole);
}

}  // namespace meander::gpu
