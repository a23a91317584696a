// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Memory cache: release of memory under pressure, by age, on demand and at destruction; reports of misuse.
#include <algorithm>
#include <bit>
#include <utility>

#include "base/assert.hpp"
#include "gpu/cache_clock.hpp"
#include "gpu/memory_cache.hpp"
#include "gpu/misuse.hpp"

namespace meander::gpu {

namespace {

template <class Function>
void for_each_bit(std::uint64_t bits, int offset, Function function) {
  for (; bits != 0; bits &= bits - 1) function(offset + std::countr_zero(bits));
}

}  // namespace

// Requires registry_mutex_.
Block* MemoryCache::new_block() {
  if (spare_blocks_.empty()) return &blocks_.emplace_back();
  Block* block = spare_blocks_.back();
  spare_blocks_.pop_back();
  block->last_use = {};
  block->next = block->parent = nullptr;
  return block;
}

// Queries from the device the progress of all queues in which idle blocks are in flight. Holds no lock during
// the queries.
void MemoryCache::refresh_queues() {
  std::vector<QueueState*> queues;
  for (std::size_t s = 0; s < shard_count; ++s) {
    Shard& shard = shards_[s];
    const std::lock_guard lock(shard);
    for (std::size_t word = 0; word < classes_in_use_.size(); ++word) {
      for_each_bit(classes_in_use_[word].load(std::memory_order_relaxed), int(64 * word), [&](int number) {
        for (Block* block = shard.idle[static_cast<std::size_t>(number)].load(std::memory_order_relaxed);
             block != nullptr; block = block->next) {
          QueueState* queue = block->last_use.queue;
          if (block->last_use.known_complete() || (!queues.empty() && queues.back() == queue)) continue;
          queues.push_back(queue);
        }
      });
    }
  }
  std::sort(queues.begin(), queues.end());
  queues.erase(std::unique(queues.begin(), queues.end()), queues.end());
  for (QueueState* queue : queues) queue->device->refresh(*queue);
}

bool MemoryCache::any_in_flight() const {
  bool found = false;
  for (std::size_t s = 0; s < shard_count && !found; ++s) {
    Shard& shard = shards_[s];
    const std::lock_guard lock(shard);
    for (std::size_t word = 0; word < classes_in_use_.size(); ++word) {
      for_each_bit(classes_in_use_[word].load(std::memory_order_relaxed), int(64 * word), [&](int number) {
        for (Block* block = shard.idle[static_cast<std::size_t>(number)].load(std::memory_order_relaxed);
             block != nullptr && !found; block = block->next)
          found = !block->last_use.known_complete();
      });
    }
  }
  return found;
}

// Blocks that are idle since before the given time and not in flight.
std::vector<MemoryCache::Idle> MemoryCache::idle_since_before(std::int64_t time) const {
  std::vector<Idle> found;
  for (std::size_t s = 0; s < shard_count; ++s) {
    Shard& shard = shards_[s];
    const std::lock_guard lock(shard);
    for (std::size_t word = 0; word < classes_in_use_.size(); ++word) {
      for_each_bit(classes_in_use_[word].load(std::memory_order_relaxed), int(64 * word), [&](int number) {
        for (Block* block = shard.idle[static_cast<std::size_t>(number)].load(std::memory_order_relaxed);
             block != nullptr; block = block->next) {
          if (block->last_use.known_complete() && block->idle_since < time)
            found.push_back({block, block->parent, s, static_cast<std::uint16_t>(number), block->idle_since});
        }
      });
    }
  }
  return found;
}

// Removes a block from its list. False if it is no longer there.
bool MemoryCache::unlink(const Idle& idle) {
  Shard& shard = shards_[idle.shard];
  const std::lock_guard lock(shard);
  std::atomic<Block*>& head = shard.idle[idle.size_class];
  Block* before = nullptr;
  Block* block = head.load(std::memory_order_relaxed);
  while (block != nullptr && block != idle.block) before = std::exchange(block, block->next);
  if (block == nullptr || block->parent != idle.parent || !block->last_use.known_complete()) return false;
  if (before == nullptr) {
    head.store(block->next, std::memory_order_relaxed);
  } else {
    before->next = block->next;
  }
  return true;
}

// Releases at least `bytes` bytes of blocks that are idle since before the given time and not in flight, or
// all such blocks if there are fewer. The least recently used blocks are released first.
std::size_t MemoryCache::release_idle(std::size_t bytes, std::int64_t idle_before, Reason reason) {
  refresh_queues();
  coalesce(idle_before);
  std::vector<Idle> candidates = idle_since_before(idle_before);
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Idle& a, const Idle& b) { return a.since < b.since; });
  std::vector<Block*> chosen;
  std::size_t freed = 0;
  for (const Idle& candidate : candidates) {
    if (freed >= bytes) break;
    if (candidate.parent != nullptr || !unlink(candidate)) continue;
    chosen.push_back(candidate.block);
    freed += raw_bytes(candidate.size_class);
  }
  release(chosen, reason);
  return freed;
}

void MemoryCache::release(const std::vector<Block*>& blocks, Reason reason) {
  if (blocks.empty()) return;
  std::vector<void*> raw;
  std::size_t freed = 0;
  {
    const std::lock_guard lock(registry_mutex_);
    for (Block* block : blocks) {
      raw.push_back(block->raw);
      freed += raw_bytes(block->size_class);
      table_.erase(block->pointer.load(std::memory_order_relaxed));
      block->pointer.store(nullptr, std::memory_order_relaxed);
      block->state.store(BlockState::released, std::memory_order_relaxed);
      spare_blocks_.push_back(block);
    }
  }
  for (void* pointer : raw) device_.deallocate(space_, pointer);
  raw_blocks_.fetch_sub(blocks.size());
  held_.fetch_sub(freed, std::memory_order_acq_rel);
  if (traits_.quota != nullptr) traits_.quota->give(freed);
  device_releases_.fetch_add(blocks.size(), std::memory_order_relaxed);
  (reason == Reason::eviction ? evictions_ : trimmed_).fetch_add(blocks.size(), std::memory_order_relaxed);
}

std::size_t MemoryCache::trim(std::size_t keep_idle) {
  const std::size_t held = held_in_classes();
  const auto live = static_cast<std::size_t>(std::max<std::int64_t>(0, sum(&Figures::live_in_classes)));
  if (held <= live + keep_idle) return 0;
  return release_idle(held - live - keep_idle, std::numeric_limits<std::int64_t>::max(), Reason::trim);
}

std::size_t MemoryCache::maintain() {
  note_peak();
  std::size_t freed = 0;
  if (traits_.quota != nullptr) {
    const std::uint64_t asked = traits_.quota->asked();
    if (answered_.exchange(asked) != asked) freed = trim();
  }
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  return freed + release_idle(all, cache_clock() - std::chrono::nanoseconds(traits_.trim_after).count(),
                              Reason::trim);
}

bool MemoryCache::is_valid() {
  const std::lock_guard registry(registry_mutex_);
  std::size_t idle = 0, idle_in_lists = 0, bytes = 0;
  for (const Block& block : blocks_) {
    if (block.state.load() == BlockState::released) continue;
    const bool is_split = block.state.load() == BlockState::split;
    if (!is_split && table_.find(block.pointer.load()) != &block) return false;
    if (block.from_fallback) continue;
    if (block.parent == nullptr) bytes += raw_bytes(block.size_class);
    if (is_split) continue;
    if (block.state.load() == BlockState::idle) ++idle;
    if (block.requested.load() > class_bytes(block.size_class)) return false;
  }
  for (std::size_t s = 0; s < shard_count; ++s) {
    const std::lock_guard lock(shards_[s]);
    for (std::size_t number = 0; number < shards_[s].idle.size(); ++number) {
      for (const Block* block = shards_[s].idle[number].load(); block != nullptr; block = block->next) {
        if (block->state.load() != BlockState::idle || block->size_class != number) return false;
        if (++idle_in_lists > idle) return false;
      }
    }
  }
  return idle_in_lists == idle && bytes == held_.load();
}

MemoryCache::~MemoryCache() {
  MEANDER_ASSERT(is_valid());
  for (std::size_t s = 0; s < shard_count; ++s) {
    for (const std::atomic<Block*>& head : shards_[s].idle) {
      for (Block* block = head.load(); block != nullptr; block = block->next) {
        if (!block->last_use.known_complete()) block->last_use.queue->device->settle(block->last_use);
      }
    }
  }
  MisuseReport leak{Misuse::leak, nullptr, 0, 0, place_};
  for (Block& block : blocks_) {
    const BlockState state = block.state.load();
    if (state == BlockState::released) continue;
    if (state == BlockState::live) {
      if (leak.pointer == nullptr) leak.pointer = block.pointer.load();
      leak.bytes += block.requested.load();
      ++leak.expected;
    }
  }
  if (leak.expected > 0) report_misuse(leak);
  for (Block& block : blocks_) {
    if (block.state.load() == BlockState::released || block.parent != nullptr) continue;
    if (block.from_fallback) {
      traits_.fallback_resource->deallocate_sync(block.raw, block.requested.load(), traits_.alignment);
    } else {
      device_.deallocate(space_, block.raw);
    }
  }
  if (traits_.quota != nullptr) traits_.quota->give(held_.load());
}

void MemoryCache::deallocate_in_fallback(Block* block) noexcept {
  const Event last_use = block->last_use;
  const Queue queue(last_use.queue);
  void* raw = block->raw;
  const std::size_t bytes = block->requested.load(std::memory_order_relaxed);
  {
    const std::lock_guard lock(registry_mutex_);
    table_.erase(raw);
    block->pointer.store(nullptr, std::memory_order_relaxed);
    block->state.store(BlockState::released, std::memory_order_relaxed);
    spare_blocks_.push_back(block);
  }
  traits_.fallback_resource->deallocate(queue, raw, bytes, traits_.alignment);
}

void MemoryCache::misused(Block* block, const void* pointer, std::size_t bytes) noexcept {
  MisuseReport report{Misuse::foreign, pointer, bytes, 0, place_};
  if (block != nullptr) {
    const bool live = block->state.load(std::memory_order_acquire) == BlockState::live;
    report.kind = live ? Misuse::wrong_size : Misuse::double_free;
    report.expected = block->requested.load(std::memory_order_relaxed);
  } else {
    const std::lock_guard lock(registry_mutex_);
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    for (const Block& other : blocks_) {
      const auto begin = reinterpret_cast<std::uintptr_t>(other.pointer.load(std::memory_order_relaxed));
      if (begin == 0 || other.state.load() == BlockState::split || address <= begin ||
          address >= begin + class_bytes(other.size_class))
        continue;
      report.kind = Misuse::interior;
      report.expected = other.requested.load(std::memory_order_relaxed);
    }
  }
  report_misuse(report);
}

}  // namespace meander::gpu
