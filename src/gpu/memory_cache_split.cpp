// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Memory cache: splitting of blocks if memory is short, and coalescing of their parts. Without it, a mix of
// sizes would hold the sum of the peaks of all sizes, or would allocate from the device what was just
// released.
#include <algorithm>

#include "base/assert.hpp"
#include "gpu/cache_search.hpp"

namespace meander::gpu {

namespace {

// A part is at least 1 / max_parts of the block from the device, because a live part prevents the release of
// that block. In measurements with 8 parts, 32 threads held more memory than without splitting.
constexpr std::size_t max_parts = 4;

const Block* device_block(const Block* block) {
  while (block->parent != nullptr) block = block->parent;
  return block;
}

}  // namespace

// A part of the smallest idle block that is larger than the classes searched before, and by at least a block of the
// smallest class: classes below 2 KiB differ by less than that.
Block* MemoryCache::split_idle(Search& search) {
  const int last =
      std::min(size_class(std::min(largest_class_bytes, max_parts * search.bytes)), size_classes - 1);
  const std::size_t least = begin_of_rest(search.size_class) + class_bytes(0);
  for (int larger = search.size_class + larger_classes + 1; larger <= last; ++larger) {
    if (class_bytes(larger) < least) continue;
    const auto number = static_cast<std::size_t>(larger);
    if ((classes_in_use_[number / 64].load(std::memory_order_relaxed) >> (number % 64) & 1) == 0) continue;
    Block* const parent = search_idle(search, larger, Readiness::complete_or_same_queue);
    if (parent == nullptr) continue;
    if (class_bytes(device_block(parent)->size_class) > max_parts * search.bytes) {
      make_idle(parent);
      continue;
    }
    const auto [part, rest] = split(parent, search.size_class);
    make_idle(rest);
    return part;
  }
  return nullptr;
}

// Offset of the second part in a block whose first part has that class.
std::size_t MemoryCache::begin_of_rest(int size_class) const {
  return (class_bytes(size_class) + traits_.alignment - 1) / traits_.alignment * traits_.alignment;
}

// Requires a block that is in no list and has space for a second part of the smallest class.
std::pair<Block*, Block*> MemoryCache::split(Block* parent, int wanted) {
  const std::size_t begin = begin_of_rest(wanted);
  MEANDER_ASSERT(class_bytes(parent->size_class) >= begin + class_bytes(0));
  const std::size_t left = class_bytes(parent->size_class) - begin;
  int rest_class = size_class(left);
  if (class_bytes(rest_class) > left) --rest_class;
  for (const int number : {wanted, rest_class}) note_class(number);
  const std::lock_guard lock(registry_mutex_);
  char* const pointer = static_cast<char*>(parent->pointer.load(std::memory_order_relaxed));
  table_.erase(pointer);
  parent->state.store(BlockState::split, std::memory_order_relaxed);
  const auto make = [&](char* at, int number_of_class) {
    Block* part = new_block();
    part->raw = nullptr;
    part->from_fallback = false;
    part->size_class = static_cast<std::uint16_t>(number_of_class);
    part->parent = parent;
    part->last_use = parent->last_use;
    part->idle_since = parent->idle_since;
    part->requested.store(0, std::memory_order_relaxed);
    part->pointer.store(at, std::memory_order_relaxed);
    part->state.store(BlockState::idle, std::memory_order_relaxed);
    table_.insert(part);
    return part;
  };
  parts_.fetch_add(2, std::memory_order_relaxed);
  splits_.fetch_add(1, std::memory_order_relaxed);
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

// Coalesces all pairs of parts that are idle since before the given time and not in flight. True if there
// were any.
bool MemoryCache::coalesce(std::int64_t idle_before) {
  bool any = false;
  for (bool again = parts_.load(std::memory_order_relaxed) > 0; again;) {
    again = false;
    std::vector<Idle> idle = idle_since_before(idle_before);
    std::erase_if(idle, [](const Idle& one) { return one.parent == nullptr; });
    std::sort(idle.begin(), idle.end(), [](const Idle& a, const Idle& b) { return a.parent < b.parent; });
    for (std::size_t i = 0; i + 1 < idle.size(); ++i) {
      const Idle &one = idle[i], &other = idle[i + 1];
      if (one.parent != other.parent) continue;
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

// Requires two parts of the same block that are in no list.
void MemoryCache::merge(Block* part, Block* other) {
  Block* const parent = part->parent;
  parent->idle_since = std::max(part->idle_since, other->idle_since);
  parent->last_use = {};
  {
    const std::lock_guard lock(registry_mutex_);
    for (Block* gone : {part, other}) {
      table_.erase(gone->pointer.load(std::memory_order_relaxed));
      gone->pointer.store(nullptr, std::memory_order_relaxed);
      gone->state.store(BlockState::released, std::memory_order_relaxed);
      spare_blocks_.push_back(gone);
    }
    parent->state.store(BlockState::idle, std::memory_order_relaxed);
    table_.insert(parent);
  }
  parts_.fetch_sub(2, std::memory_order_relaxed);
  make_idle(parent);
}

}  // namespace meander::gpu
