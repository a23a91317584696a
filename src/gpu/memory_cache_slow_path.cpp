// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Memory cache: slow path, for allocations to which the hot path finds no block.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "base/assert.hpp"
#include "gpu/memory_cache.hpp"
#include "gpu/misuse.hpp"

namespace meander::gpu {
namespace {

using Clock = std::chrono::steady_clock;

// If memory is short, blocks of the next two classes are accepted; they are up to a quarter larger.
constexpr int larger_classes = 2;

}  // namespace

// State of one allocation.
struct MemoryCache::Search {
  Queue queue;
  std::size_t bytes;  // of blocks of the class
  int size_class;
  Shard& own;
  bool from_other = false;       // the block was found in another shard
  bool quota_exhausted = false;  // the quota rejected the allocation
  bool queue_waits = false;
  bool from_device = false;
  bool while_busy = false;
  std::chrono::steady_clock::duration waited{0};
};

void* MemoryCache::allocate_slow_path(Queue queue, std::size_t bytes, std::size_t alignment,
                                      std::unique_ptr<OutOfMemory>& error) {
  if (alignment > traits_.alignment) {
    throw DeviceError(fmt::format("alignment {} of {} memory requested, but the cache aligns to {} bytes",
                                  alignment, name(space_), traits_.alignment),
                      false);
  }
  Block* block = nullptr;
  Shard& own = own_shard();
  Search search{queue, 0, 0, own};
  if (bytes <= largest_class_bytes) {
    search.size_class = size_class(bytes);
    search.bytes = class_bytes(search.size_class);
    block = search_with_refresh(search, search.size_class);
    if (block == nullptr && !exceeds_slack(search.bytes)) block = grow(search);
    if (block == nullptr) block = find_block(search);
  }
  const bool own_block = block != nullptr;
  void* pointer = own_block ? nullptr : fall_back(queue, bytes);

  const std::lock_guard lock(own);
  own.figures.waited.add(std::chrono::nanoseconds(search.waited).count());
  if (own_block) {
    pointer = hand_out(block, own, bytes);
    own.figures.hits.add(search.from_device ? 0 : 1);
    own.figures.from_other_threads.add(search.from_other ? 1 : 0);
    own.figures.queue_waits.add(search.queue_waits ? 1 : 0);
    own.figures.device_allocations.add(search.from_device ? 1 : 0);
    own.figures.while_busy.add(search.while_busy ? 1 : 0);
  } else if (pointer != nullptr) {
    own.figures.fallbacks.add(1);
  } else {
    own.figures.failures.add(1);
    error = std::make_unique<OutOfMemory>(failure(bytes));
  }
  return pointer;
}

OutOfMemory MemoryCache::failure(std::size_t bytes) const {
  const auto live = static_cast<std::size_t>(std::max<std::int64_t>(0, sum(&Figures::live)));
  const std::size_t held = held_in_classes();
  std::size_t allowed = traits_.limit;
  if (traits_.quota != nullptr) allowed = std::min(allowed, traits_.quota->limit());
  if (space_ == Space::device) allowed = std::min(allowed, device_.properties().memory);
  if (allowed == std::numeric_limits<std::size_t>::max()) allowed = 0;
  return {bytes, live, place_, held - std::min(live, held), allowed};
}

Block* MemoryCache::search_idle(Search& search, int wanted, Readiness readiness) {
  const auto begin = static_cast<std::size_t>(&search.own - shards_.get());
  for (std::size_t i = 0; i < shard_count; ++i) {
    Shard& shard = shards_[(begin + i) % shard_count];
    if (shard.idle[static_cast<std::size_t>(wanted)].load(std::memory_order_relaxed) == nullptr) continue;
    const std::lock_guard lock(shard);
    Block* block = take(shard, wanted, search.queue, std::numeric_limits<int>::max(), readiness);
    if (block == nullptr) continue;
    search.from_other = i > 0;
    return block;
  }
  return nullptr;
}

// Refreshes the progress of the queues if the first search fails: uses may have ended since the last query.
Block* MemoryCache::search_with_refresh(Search& search, int wanted) {
  if (Block* block = search_idle(search, wanted, Readiness::complete_or_same_queue)) return block;
  const auto has_some = [&](int i) {
    return shards_[static_cast<std::size_t>(i)].idle[static_cast<std::size_t>(wanted)].load(
               std::memory_order_relaxed) != nullptr;
  };
  for (int i = 0; i < shard_count; ++i) {
    if (!has_some(i)) continue;
    refresh_queues();
    return search_idle(search, wanted, Readiness::complete_or_same_queue);
  }
  return nullptr;
}

Block* MemoryCache::search_classes(Search& search) {
  const int last = std::min(search.size_class + larger_classes, size_classes - 1);
  for (int wanted = search.size_class; wanted <= last; ++wanted) {
    if (Block* block = search_with_refresh(search, wanted)) return block;
  }
  return nullptr;
}

bool MemoryCache::exceeds_slack(std::size_t more) const {
  const auto live = static_cast<std::size_t>(std::max<std::int64_t>(0, sum(&Figures::live)));
  const std::size_t lately = std::max({live + more, window_peak_.load(std::memory_order_relaxed),
                                       last_window_peak_.load(std::memory_order_relaxed)});
  const double allowed = traits_.slack * static_cast<double>(lately) + static_cast<double>(traits_.keep);
  return static_cast<double>(held_in_classes() + more) > allowed;
}

// Allocates a new block from the device, within limit and quota; null if that fails.
Block* MemoryCache::grow(Search& search) {
  const std::size_t bytes = raw_bytes(search.size_class);
  std::size_t held = held_.load(std::memory_order_relaxed);
  do {
    if (held > traits_.limit || bytes > traits_.limit - held) return nullptr;
  } while (!held_.compare_exchange_weak(held, held + bytes, std::memory_order_acq_rel));
  if (traits_.quota != nullptr && !traits_.quota->take(bytes)) {
    held_.fetch_sub(bytes, std::memory_order_acq_rel);
    search.quota_exhausted = true;
    return nullptr;
  }
  const auto undo = [&] {
    if (traits_.quota != nullptr) traits_.quota->give(bytes);
    held_.fetch_sub(bytes, std::memory_order_acq_rel);
  };
  void* raw = nullptr;
  const bool busy = device_.busy();
  try {
    raw = device_.allocate(space_, bytes);
  } catch (const OutOfMemory&) {
    undo();
    return nullptr;
  } catch (...) {
    undo();
    throw;
  }
  raw_blocks_.fetch_add(1);
  search.from_device = true;
  search.while_busy = busy;
  std::size_t peak = peak_held_.load(std::memory_order_relaxed);
  while (held + bytes > peak && !peak_held_.compare_exchange_weak(peak, held + bytes)) {
  }
  note_class(search.size_class);
  const auto address = reinterpret_cast<std::uintptr_t>(raw);
  MEANDER_ASSERT(address % 256 == 0);  // padding() counts on it
  const std::uintptr_t aligned = (address + traits_.alignment - 1) / traits_.alignment * traits_.alignment;
  const std::lock_guard lock(registry_mutex_);
  Block* block = new_block();
  block->raw = raw;
  block->from_fallback = false;
  block->size_class = static_cast<std::uint16_t>(search.size_class);
  block->pointer.store(reinterpret_cast<void*>(aligned), std::memory_order_relaxed);
  table_.insert(block);
  note_peak();
  return block;
}

bool MemoryCache::worth_waiting(const Search& search) const {
  if (any_in_flight()) return true;
  return search.quota_exhausted && traits_.quota->in_use() > held_.load(std::memory_order_relaxed);
}

Block* MemoryCache::find_block(Search& search) {
  const std::size_t raw = raw_bytes(search.size_class);
  if (raw > traits_.limit || (traits_.quota != nullptr && raw > traits_.quota->limit()) ||
      (space_ == Space::device && raw > device_.properties().memory))
    return nullptr;
  note_peak();
  const auto begin = Clock::now();
  auto pause = std::chrono::microseconds(10);
  bool in_vain = false;  // the last search found nothing, and nothing to wait for when it had ended
  for (;;) {
    if (Block* block = search_classes(search)) return block;
    if (Block* block = split_idle(search)) return block;
    if (coalesce(std::numeric_limits<std::int64_t>::max())) {
      if (Block* block = search_classes(search)) return block;
      if (Block* block = split_idle(search)) return block;
    }
    if (exceeds_slack(search.bytes))
      release_idle(search.bytes, std::numeric_limits<std::int64_t>::max(), Reason::eviction);
    if (Block* block = grow(search)) return block;
    const bool late = Clock::now() - begin > traits_.deadline;
    if (release_idle(search.bytes, std::numeric_limits<std::int64_t>::max(), Reason::eviction) > 0) {
      if (!late) continue;
      if (Block* block = grow(search)) return block;
    }
    if (!search.queue.synchronous()) {
      if (Block* block = search_idle(search, search.size_class, Readiness::any)) {
        try {
          device_.wait(search.queue, block->last_use);
        } catch (...) {
          // Puts the block back into its list. Its last use is unchanged.
          const std::lock_guard lock(search.own);
          block->next = search.own.idle[block->size_class].load(std::memory_order_relaxed);
          search.own.idle[block->size_class].store(block, std::memory_order_relaxed);
          throw;
        }
        search.queue_waits = true;
        return block;
      }
    }
    if (search.quota_exhausted) {
      traits_.quota->ask();
      answered_.store(traits_.quota->asked());  // this cache has no idle blocks to release
    }
    if (late) return nullptr;
    if (!worth_waiting(search)) {
      // What was waited for may have become free after this search had passed it: only a search that began with nothing
      // in flight and no quota held by others proves that there is no memory.
      if (in_vain) return nullptr;
      in_vain = true;
      continue;
    }
    in_vain = false;
    const auto before = Clock::now();
    std::this_thread::sleep_for(pause);
    search.waited += Clock::now() - before;
    pause = std::min(2 * pause, std::chrono::microseconds(500));
  }
}

void* MemoryCache::fall_back(Queue queue, std::size_t bytes) {
  if (traits_.fallback != Fallback::resource || traits_.fallback_resource == nullptr) return nullptr;
  if (bytes > largest_class_bytes) return nullptr;
  void* pointer = traits_.fallback_resource->try_allocate(queue, bytes, traits_.alignment);
  if (pointer == nullptr) return nullptr;
  const std::lock_guard lock(registry_mutex_);
  Block* block = new_block();
  block->raw = pointer;
  block->from_fallback = true;
  block->size_class = 0;
  block->requested.store(bytes, std::memory_order_relaxed);
  block->pointer.store(pointer, std::memory_order_relaxed);
  block->state.store(BlockState::live, std::memory_order_relaxed);
  table_.insert(block);
  return pointer;
}

// Memory cache: splitting of blocks if memory is short, and coalescing of their parts. Without it, a mix of
// sizes would hold the sum of the peaks of all sizes, or would allocate from the device what was just
// released.

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
