// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The memory cache: blocks of one place that have been had from the device once, and are handed out again and
// again (Wille, Weinzierl et al., ISC 2023, section 4, with what that scheme lacks).
//
// Allocation takes an idle block of the right size class whose last use is over, or is in the same queue;
// where more is held than `slack` allows, a larger one is cut in two, and put together again when both are
// idle. The hot path is a look-up, one compare-and-swap and one short lock of a shard that threads hardly
// share. The device is called when no block fits, and never while a lock is held.

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "gpu/block_table.hpp"
#include "gpu/device.hpp"
#include "gpu/quota.hpp"
#include "gpu/resource.hpp"
#include "gpu/size_class.hpp"

namespace meander::gpu {

// What becomes of an allocation that cannot be served: OutOfMemory, null also from allocate(), an abort with
// the figures, or the fallback resource.
enum class Fallback : std::uint8_t { fail, null, abort, resource };

struct CacheTraits {
  std::size_t alignment = 256;  // of all blocks; no larger one can be asked for
  std::size_t limit = std::numeric_limits<std::size_t>::max();  // of bytes held
  // Before more than `slack` times the bytes lately live, and `keep` bytes on top, would be held, idle blocks
  // of other sizes are cut up or given back. "Lately": since between one and two times trim_after.
  double slack = 1.2;
  std::size_t keep = std::size_t{16} << 20;
  std::chrono::milliseconds trim_after{10'000};  // idle for longer: given back by tend()
  std::chrono::milliseconds deadline{2'000};     // for waiting for blocks in flight
  Fallback fallback = Fallback::fail;
  Resource* fallback_resource = nullptr;
  Quota* quota = nullptr;  // shared with others; outlives the cache
};

class MemoryCache final : public Resource {
 public:
  // Of the device's memory of that kind. The device outlives the cache.
  MemoryCache(Device& device, Space space, const CacheTraits& traits = {});
  // Waits for blocks in flight and gives all back. Live blocks are reported as leaked.
  ~MemoryCache() override;

  // When no idle block fits and the device has none, in this order, until one step helps: idle blocks of all
  // threads; a block up to a quarter larger; a part of a larger one; idle blocks of other sizes are given
  // back and the device is asked again; the queue is made to wait for a block in flight; the thread waits for
  // blocks in flight (or other ranks' quota) until the deadline; the fallback.
  void* allocate(Queue queue, std::size_t bytes, std::size_t alignment = 256) override;
  void* try_allocate(Queue queue, std::size_t bytes, std::size_t alignment = 256) override;
  void deallocate(Queue queue, void* pointer, std::size_t bytes,
                  std::size_t alignment = 256) noexcept override;
  void* allocate_sync(std::size_t bytes, std::size_t alignment = 256) override;
  void deallocate_sync(void* pointer, std::size_t bytes, std::size_t alignment = 256) noexcept override;

  std::size_t available() const noexcept override;
  Place place() const noexcept override { return place_; }
  Stats stats() const noexcept override;
  std::size_t trim(std::size_t keep_idle = 0) override;
  // To be called now and then, say once a step: gives back what has been idle for long, and if another who
  // shares the quota has asked, all that is idle. Returns the bytes given back.
  std::size_t tend();

  // Every block is either live, or idle in one list of its class, or carved into two such, and is found by
  // its address unless carved; those from the device are together what is held. To be asked while nobody uses
  // the cache.
  bool is_valid();

  // Of the threads whose thread_number() is the index modulo the number of entries: what threads do, not what
  // is held.
  std::vector<Stats> stats_by_thread() const;

 private:
  // Written by one thread at a time (who holds the shard's lock), read by any.
  class Figure {
   public:
    void add(std::int64_t more) {
      value_.store(value_.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
    }
    std::int64_t get() const { return value_.load(std::memory_order_relaxed); }

   private:
    std::atomic<std::int64_t> value_{0};
  };
  struct Figures {
    Figure live, live_in_classes, allocations, hits, taken, queue_waits, waited, fallbacks, failures;
    Figure device_allocations, while_busy;
  };
  struct alignas(128) Shard {
    std::atomic_flag locked = ATOMIC_FLAG_INIT;
    unsigned operations = 0;
    Figures figures;
    std::array<std::atomic<Block*>, size_classes> idle{};

    bool try_lock() { return !locked.test_and_set(std::memory_order_acquire); }
    void lock();
    void unlock() { locked.clear(std::memory_order_release); }
  };
  enum class Readiness : std::uint8_t { over_or_same_queue, any };
  enum class Reason : std::uint8_t { eviction, trim };
  struct Search;
  // A block in a list when that was looked through; it may have gone since.
  struct Idle {
    Block *block, *whole;
    std::size_t shard;
    std::uint16_t size_class;
    std::int64_t since;
  };

  static constexpr int shard_count = 64;

  Shard& own_shard();
  bool unlink(const Idle& idle);
  static Block* take(Shard& shard, int size_class, Queue queue, int depth, Readiness readiness);
  void put_back(Block* block);
  void* hand_out(Block* block, Shard& shard, std::size_t bytes);

  // The slow path, memory_cache_ladder.cpp. Null if all steps failed, and then `error` says why.
  void* allocate_slowly(Queue queue, std::size_t bytes, std::size_t alignment,
                        std::unique_ptr<OutOfMemory>& error);
  void* attempt(Queue queue, std::size_t bytes, std::size_t alignment, std::unique_ptr<OutOfMemory>& error);
  Block* search_idle(Search& search, int size_class, Readiness readiness);
  Block* search_with_refresh(Search& search, int size_class);
  Block* grow(Search& search);
  bool exceeds_slack(std::size_t more) const;
  Block* climb(Search& search);
  Block* search_classes(Search& search);
  bool worth_waiting(const Search& search) const;
  void* fall_back(Queue queue, std::size_t bytes);
  OutOfMemory failure(std::size_t bytes) const;

  // Parts of blocks, memory_cache_parts.cpp.
  Block* carve(Search& search);
  std::pair<Block*, Block*> cut(Block* whole, int size_class);
  bool put_together(std::int64_t idle_before);
  void merge(Block* part, Block* other);
  void make_idle(Block* block);

  // Giving back, memory_cache_release.cpp.
  std::size_t give_back(std::size_t bytes, std::int64_t idle_before, Reason reason);
  void release(const std::vector<Block*>& blocks, Reason reason);
  void refresh_queues();
  std::vector<Idle> idle_since_before(std::int64_t time) const;
  bool any_in_flight() const;
  Block* new_block();
  // There are, or have been, blocks of the class.
  void note_class(int size_class) {
    const auto number = static_cast<std::size_t>(size_class);
    classes_in_use_[number / 64].fetch_or(std::uint64_t{1} << (number % 64), std::memory_order_relaxed);
  }
  void misused(Block* block, const void* pointer, std::size_t bytes) noexcept;
  void give_back_to_fallback(Block* block) noexcept;

  // What the device is asked for to align such a block: it aligns to 256 bytes on its own.
  std::size_t padding() const { return traits_.alignment > 256 ? traits_.alignment : 0; }
  std::size_t raw_bytes(int size_class) const { return class_bytes(size_class) + padding(); }
  // Of what is held, what blocks may be handed out from.
  std::size_t held_in_classes() const {
    const std::size_t held = held_.load(), between = padding() * raw_blocks_.load();
    return held - std::min(between, held);
  }

  std::int64_t sum(Figure Figures::*figure) const;
  void note_peak();

  Device& device_;
  const Space space_;
  const Place place_;
  const CacheTraits traits_;
  std::unique_ptr<Shard[]> shards_;
  BlockTable table_;
  std::mutex registry_mutex_;  // of blocks_, spare_blocks_ and changes of table_
  std::deque<Block> blocks_;
  std::vector<Block*> spare_blocks_;
  std::array<std::atomic<std::uint64_t>, (size_classes + 63) / 64> classes_in_use_{};
  std::atomic<std::size_t> held_{0}, peak_held_{0}, peak_live_{0}, device_releases_{0}, evictions_{0},
      trimmed_{0}, parts_{0}, carved_{0}, raw_blocks_{0};
  // The most bytes live in this window of time and in the one before.
  std::atomic<std::size_t> window_peak_{0}, last_window_peak_{0};
  std::atomic<std::int64_t> window_begin_{0};
  std::atomic<std::uint64_t> answered_{0};  // of Quota::asked
};

}  // namespace meander::gpu
