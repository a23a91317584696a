// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Memory cache: hot path and statistics.
#include "gpu/memory_cache.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <thread>

#include "base/assert.hpp"
#include "base/log.hpp"
#include "gpu/cache_clock.hpp"
#include "gpu/misuse.hpp"
#include "gpu/thread_number.hpp"

namespace meander::gpu {

void MemoryCache::Shard::lock() {
  // Locks are held for nanoseconds, unless their holder is preempted.
  while (!try_lock()) std::this_thread::yield();
}

MemoryCache::Shard& MemoryCache::own_shard() {
  return shards_[static_cast<std::size_t>(thread_number() % shard_count)];
}

MemoryCache::MemoryCache(Device& device, Space space, const CacheTraits& traits)
    : device_(device),
      space_(space),
      place_{space, device.properties().number},
      traits_(traits),
      shards_(std::make_unique<Shard[]>(shard_count)),
      window_begin_(cache_clock()) {
  MEANDER_ASSERT(std::has_single_bit(traits.alignment));
  if (space == Space::host || !device.properties().supports(space))
    throw DeviceError(device.properties().name + " has no " + name(space) + " memory", false);
}

// Takes the first of at most `depth` blocks that `queue` can use now. Requires the lock of the shard.
Block* MemoryCache::take(Shard& shard, int size_class, Queue queue, int depth, Readiness readiness) {
  std::atomic<Block*>& head = shard.idle[static_cast<std::size_t>(size_class)];
  Block* before = nullptr;
  for (Block* block = head.load(std::memory_order_relaxed); block != nullptr && depth > 0;
       before = block, block = block->next, --depth) {
    const bool same_queue = !queue.synchronous() && block->last_use.queue == queue.state();
    if (readiness == Readiness::complete_or_same_queue && !same_queue && !block->last_use.known_complete())
      continue;
    if (before == nullptr) {
      head.store(block->next, std::memory_order_relaxed);
    } else {
      before->next = block->next;
    }
    return block;
  }
  return nullptr;
}

// Tells an emulated device in debug builds what of a block may be accessed: all of it while its last use is in flight.
void MemoryCache::restrict_access([[maybe_unused]] Block* block, [[maybe_unused]] std::size_t usable) {
#ifndef NDEBUG
  if (!device_.properties().checked) return;
  const std::size_t bytes = class_bytes(block->size_class);
  const bool complete = block->last_use.known_complete();
  device_.restrict_access(block->pointer.load(), complete ? usable : bytes, bytes,
                          complete ? Contents::undefined : Contents::kept);
#endif
}

// Requires the lock of the shard, and a block that is in no list.
void* MemoryCache::hand_out(Block* block, Shard& shard, std::size_t bytes) {
  restrict_access(block, bytes);
  block->requested.store(bytes, std::memory_order_relaxed);
  block->state.store(BlockState::live, std::memory_order_relaxed);
  shard.figures.allocations.add(1);
  shard.figures.live.add(static_cast<std::int64_t>(bytes));
  shard.figures.live_in_classes.add(static_cast<std::int64_t>(class_bytes(block->size_class)));
  return block->pointer.load(std::memory_order_relaxed);
}

void* MemoryCache::allocate_with_error(Queue queue, std::size_t bytes, std::size_t alignment,
                                       std::unique_ptr<OutOfMemory>& error) {
  if (bytes == 0) return nullptr;
  constexpr int depth = 8;
  if (bytes <= largest_class_bytes && alignment <= traits_.alignment) {
    Shard& shard = own_shard();
    if (shard.try_lock()) {
      if (Block* block = take(shard, size_class(bytes), queue, depth, Readiness::complete_or_same_queue)) {
        void* pointer = hand_out(block, shard, bytes);
        shard.figures.hits.add(1);
        constexpr unsigned between_samples = 1024;
        const bool sample = ++shard.operations % between_samples == 0;
        shard.unlock();
        if (sample) note_peak();
        return pointer;
      }
      shard.unlock();
    }
  }
  return allocate_slow_path(queue, bytes, alignment, error);
}

void* MemoryCache::allocate(Queue queue, std::size_t bytes, std::size_t alignment) {
  std::unique_ptr<OutOfMemory> error;
  void* pointer = allocate_with_error(queue, bytes, alignment, error);
  if (error == nullptr || traits_.fallback == Fallback::null) return pointer;
  if (traits_.fallback == Fallback::abort) {
    log::error(error->what());
    std::abort();
  }
  throw *error;
}

void* MemoryCache::try_allocate(Queue queue, std::size_t bytes, std::size_t alignment) {
  std::unique_ptr<OutOfMemory> error;
  return allocate_with_error(queue, bytes, alignment, error);
}

void* MemoryCache::allocate_sync(std::size_t bytes, std::size_t alignment) {
  return allocate(Queue{}, bytes, alignment);
}

void MemoryCache::deallocate_sync(void* pointer, std::size_t bytes, std::size_t alignment) noexcept {
  deallocate(Queue{}, pointer, bytes, alignment);
}

void MemoryCache::deallocate(Queue queue, void* pointer, std::size_t bytes, std::size_t) noexcept {
  if (pointer == nullptr) return;
  Block* block = table_.find(pointer);
  if (block == nullptr) return misused(nullptr, pointer, bytes);
  if (block->requested.load(std::memory_order_relaxed) != bytes) return misused(block, pointer, bytes);
  // If two threads deallocate the same block concurrently, exactly one must succeed.
  BlockState live = BlockState::live;
  if (!block->state.compare_exchange_strong(live, BlockState::idle, std::memory_order_acq_rel))
    return misused(block, pointer, bytes);
  block->last_use = mark(queue);
  if (block->from_fallback) return deallocate_in_fallback(block);
  restrict_access(block, 0);
  block->idle_since = cache_clock();
  put_back(block);
}

void MemoryCache::put_back(Block* block) {
  // The block can be put into any shard whose lock is free.
  auto number = static_cast<std::size_t>(thread_number());
  Shard* shard = &shards_[number % shard_count];
  for (int tries = 1; !shard->try_lock(); ++tries) {
    if (tries % shard_count == 0) std::this_thread::yield();
    shard = &shards_[++number % shard_count];
  }
  shard->figures.live.add(-static_cast<std::int64_t>(block->requested.load(std::memory_order_relaxed)));
  shard->figures.live_in_classes.add(-static_cast<std::int64_t>(class_bytes(block->size_class)));
  std::atomic<Block*>& head = shard->idle[block->size_class];
  block->next = head.load(std::memory_order_relaxed);
  head.store(block, std::memory_order_relaxed);
  shard->unlock();
}

// ---- statistics

std::int64_t MemoryCache::sum(Figure Figures::*figure) const {
  std::int64_t total = 0;
  for (int i = 0; i < shard_count; ++i) total += (shards_[static_cast<std::size_t>(i)].figures.*figure).get();
  return total;
}

namespace {

void raise(std::atomic<std::size_t>& peak, std::size_t value) {
  std::size_t before = peak.load(std::memory_order_relaxed);
  while (value > before && !peak.compare_exchange_weak(before, value, std::memory_order_relaxed)) {
  }
}

}  // namespace

// Sums live bytes over all shards. That costs more than an allocation on the hot path; therefore it is called
// only before the cache grows and for one of 1024 allocations.
void MemoryCache::note_peak() {
  const auto live = static_cast<std::size_t>(std::max<std::int64_t>(0, sum(&Figures::live)));
  raise(peak_live_, live);
  const std::int64_t now = cache_clock();
  std::int64_t begin = window_begin_.load(std::memory_order_relaxed);
  const std::int64_t window = std::chrono::nanoseconds(traits_.trim_after).count();
  if (now - begin > window && window_begin_.compare_exchange_strong(begin, now, std::memory_order_relaxed)) {
    last_window_peak_.store(window_peak_.exchange(live, std::memory_order_relaxed),
                            std::memory_order_relaxed);
  }
  raise(window_peak_, live);
}

Stats MemoryCache::stats() const noexcept {
  Stats stats;
  const auto total = [&](Figure Figures::*figure) {
    return static_cast<std::size_t>(std::max<std::int64_t>(0, sum(figure)));
  };
  stats.live_bytes = total(&Figures::live);
  stats.fragmentation_bytes =
      total(&Figures::live_in_classes) - std::min(stats.live_bytes, total(&Figures::live_in_classes));
  stats.allocations = total(&Figures::allocations);
  stats.hits = total(&Figures::hits);
  stats.from_other_threads = total(&Figures::from_other_threads);
  stats.queue_waits = total(&Figures::queue_waits);
  stats.waited = 1e-9 * static_cast<double>(total(&Figures::waited));
  stats.fallbacks = total(&Figures::fallbacks);
  stats.failures = total(&Figures::failures);
  stats.device_allocations = total(&Figures::device_allocations);
  stats.while_busy = total(&Figures::while_busy);
  stats.held_bytes = held_.load();
  stats.peak_held_bytes = peak_held_.load();
  stats.peak_bytes = std::max(peak_live_.load(), stats.live_bytes);
  stats.device_releases = device_releases_.load();
  stats.evictions = evictions_.load();
  stats.trimmed = trimmed_.load();
  stats.splits = splits_.load();
  return stats;
}

std::vector<Stats> MemoryCache::stats_by_thread() const {
  std::vector<Stats> all(shard_count);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Figures& figures = shards_[i].figures;
    const auto get = [](const Figure& figure) { return static_cast<std::size_t>(figure.get()); };
    all[i].allocations = get(figures.allocations);
    all[i].hits = get(figures.hits);
    all[i].from_other_threads = get(figures.from_other_threads);
    all[i].queue_waits = get(figures.queue_waits);
    all[i].waited = 1e-9 * static_cast<double>(figures.waited.get());
    all[i].fallbacks = get(figures.fallbacks);
    all[i].failures = get(figures.failures);
    all[i].device_allocations = get(figures.device_allocations);
    all[i].while_busy = get(figures.while_busy);
  }
  return all;
}

std::size_t MemoryCache::available() const noexcept {
  const std::size_t held = held_in_classes();
  const auto live = static_cast<std::size_t>(std::max<std::int64_t>(0, sum(&Figures::live_in_classes)));
  std::size_t more = traits_.limit - std::min(held_.load(), traits_.limit);
  if (space_ == Space::device) more = std::min(more, device_.available());
  if (traits_.quota != nullptr)
    more = std::min(more, traits_.quota->limit() - std::min(traits_.quota->in_use(), traits_.quota->limit()));
  return std::min(more, std::numeric_limits<std::size_t>::max() - held) + held - std::min(live, held);
}

}  // namespace meander::gpu
