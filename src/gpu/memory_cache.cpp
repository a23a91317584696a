// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Memory cache: hot path, release of memory, statistics.
#include "gpu/memory_cache.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "base/assert.hpp"
#include "base/log.hpp"
#include "gpu/misuse.hpp"

namespace meander::gpu {

namespace {

// Clock for the age of idle blocks. A reading costs a few nanoseconds; the resolution is a few milliseconds.
std::int64_t cache_clock() {
#ifdef CLOCK_MONOTONIC_COARSE
  constexpr clockid_t clock = CLOCK_MONOTONIC_COARSE;
#else
  constexpr clockid_t clock = CLOCK_MONOTONIC;
#endif
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

struct Numbers {
  std::mutex mutex;
  std::set<int> free;
  int next = 0;
};

// Never destroyed, because threads may end after main has returned.
Numbers& numbers() {
  static auto* all = new Numbers;
  return *all;
}

struct Returned {
  int number = -1;
  ~Returned() {
    if (number < 0) return;
    const std::lock_guard lock(numbers().mutex);
    numbers().free.insert(number);
  }
};

thread_local int assigned_thread_number = -1;

int assign_thread_number() {
  static thread_local Returned at_the_end;
  const std::lock_guard lock(numbers().mutex);
  if (numbers().free.empty()) {
    assigned_thread_number = numbers().next++;
  } else {
    assigned_thread_number = *numbers().free.begin();
    numbers().free.erase(numbers().free.begin());
  }
  return at_the_end.number = assigned_thread_number;
}

// Number of the calling thread, to select a shard: unique among running threads. Numbers of ended threads are reused, the
// smallest first.
int thread_number() {
  const int number = assigned_thread_number;
  return number >= 0 ? number : assign_thread_number();
}

}  // namespace

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

std::size_t MemoryCache::available() const noexcept {
  const std::size_t held = held_in_classes();
  const auto live = static_cast<std::size_t>(std::max<std::int64_t>(0, sum(&Figures::live_in_classes)));
  std::size_t more = traits_.limit - std::min(held_.load(), traits_.limit);
  if (space_ == Space::device) more = std::min(more, device_.available());
  if (traits_.quota != nullptr)
    more = std::min(more, traits_.quota->limit() - std::min(traits_.quota->in_use(), traits_.quota->limit()));
  return std::min(more, std::numeric_limits<std::size_t>::max() - held) + held - std::min(live, held);
}

// Memory cache: release of memory under pressure, by age, on demand and at destruction; reports of misuse.

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

BlockTable::BlockTable() {
  tables_.push_back(std::make_unique<Table>(1024));
  current_.store(tables_.back().get(), std::memory_order_release);
}

void BlockTable::put(Table& table, Block* block) {
  const auto key = reinterpret_cast<std::uintptr_t>(block->pointer.load(std::memory_order_relaxed));
  std::size_t i = hash(key);
  while (table.entries[i & table.mask].key.load(std::memory_order_relaxed) > erased) ++i;
  Entry& entry = table.entries[i & table.mask];
  // The block is stored before the key: a reader that sees the key must see its block.
  entry.block.store(block, std::memory_order_relaxed);
  entry.key.store(key, std::memory_order_release);
}

void BlockTable::insert(Block* block) {
  Table* table = current_.load(std::memory_order_relaxed);
  MEANDER_ASSERT(find(block->pointer.load(std::memory_order_relaxed)) == nullptr);
  if (2 * (used_ + 1) > table->mask) {
    auto larger = std::make_unique<Table>(2 * (table->mask + 1));
    for (const Entry& entry : table->entries) {
      if (entry.key.load(std::memory_order_relaxed) > erased)
        put(*larger, entry.block.load(std::memory_order_relaxed));
    }
    table = larger.get();
    tables_.push_back(std::move(larger));
    current_.store(table, std::memory_order_release);
  }
  put(*table, block);
  ++used_;
}

void BlockTable::erase(const void* pointer) {
  Table& table = *current_.load(std::memory_order_relaxed);
  const auto key = reinterpret_cast<std::uintptr_t>(pointer);
  for (std::size_t i = hash(key), tries = 0; tries <= table.mask; ++i, ++tries) {
    Entry& entry = table.entries[i & table.mask];
    if (entry.key.load(std::memory_order_relaxed) != key) continue;
    entry.key.store(erased, std::memory_order_release);
    --used_;
    return;
  }
}

}  // namespace meander::gpu
