// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Memory cache: it allocates blocks of one place from the device once and reuses them (Wille, Weinzierl et
// al., ISC 2023, section 4; extended by size limits, splitting, eviction and quotas).
//
// An allocation takes an idle block of the right size class whose last use has ended or is in the same queue.
// If the cache holds more memory than `slack` allows, it splits a larger block in two, and coalesces the
// parts when both are idle. The hot path costs one look-up, one compare-and-swap and one short lock of a
// shard, which threads rarely share. The device is called only if no block fits, and never while a lock is
// held.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/queue.hpp"
#include "gpu/quota.hpp"
#include "gpu/resource.hpp"
#include "gpu/size_class.hpp"

namespace meander::gpu {

// Records of the cache's blocks, and a hash table that finds them by address. Device memory cannot hold a
// block header, so every deallocation looks up its pointer; the look-up also detects invalid pointers.

// split: replaced by two blocks, its parts.
enum class BlockState : std::uint8_t { released, live, idle, split };

struct alignas(64) Block {
  std::atomic<void*> pointer{nullptr};    // address returned by allocate()
  std::atomic<std::size_t> requested{0};  // bytes, while live
  std::atomic<BlockState> state{BlockState::released};
  bool from_fallback = false;
  std::uint16_t size_class = 0;
  Block* next = nullptr;  // next idle block of the same class and shard
  Event last_use;
  std::int64_t idle_since = 0;  // ns of cache_clock()
  void* raw = nullptr;          // address from the device; at or before `pointer`
  Block* parent = nullptr;      // block of which this is a part; null if it came from the device
};

// Hash table from addresses to blocks, with open addressing. find() is lock-free and may run concurrently
// with one insert() or erase(); the owner serialises these two by a lock. Blocks must outlive the table.
class BlockTable {
 public:
  BlockTable();

  // Null if no block has that address. Always finds a block that is not deallocated meanwhile.
  Block* find(const void* pointer) const {
    const Table& table = *current_.load(std::memory_order_acquire);
    const auto key = reinterpret_cast<std::uintptr_t>(pointer);
    for (std::size_t i = hash(key), tries = 0; tries <= table.mask; ++i, ++tries) {
      const Entry& entry = table.entries[i & table.mask];
      const std::uintptr_t found = entry.key.load(std::memory_order_acquire);
      if (found == key) {
        Block* block = entry.block.load(std::memory_order_relaxed);
        return block->pointer.load(std::memory_order_relaxed) == pointer ? block : nullptr;
      }
      if (found == 0) return nullptr;
    }
    return nullptr;
  }

  // Requires that no block with that address is in the table. insert() and erase() must not run concurrently.
  void insert(Block* block);
  void erase(const void* pointer);

 private:
  static constexpr std::uintptr_t erased = 1;  // not the address of any block
  struct Entry {
    std::atomic<std::uintptr_t> key{0};
    std::atomic<Block*> block{nullptr};
  };
  struct Table {
    explicit Table(std::size_t size) : mask(size - 1), entries(size) {}
    const std::size_t mask;
    std::vector<Entry> entries;
  };
  static std::size_t hash(std::uintptr_t key) { return (key >> 8) * 0x9e3779b97f4a7c15u >> 24; }
  static void put(Table& table, Block* block);

  std::atomic<Table*> current_;
  std::vector<std::unique_ptr<Table>> tables_;  // including old ones, which concurrent readers may still use
  std::size_t used_ = 0;
};

// Behaviour of a failed allocation. fail: throw OutOfMemory. null: return null, also from allocate(). abort:
// log the figures and abort. resource: allocate from the fallback resource.
enum class Fallback : std::uint8_t { fail, null, abort, resource };

struct CacheTraits {
  std::size_t alignment = 256;  // of all blocks, a power of two; upper bound of requested alignments
  std::size_t limit = std::numeric_limits<std::size_t>::max();  // of bytes held
  // The cache splits or releases idle blocks of other sizes before it holds more than slack * peak + keep
  // bytes, where `peak` is the maximum of the live bytes over a recent window of one to two times trim_after.
  double slack = 1.2;
  std::size_t keep = std::size_t{16} << 20;
  std::chrono::milliseconds trim_after{10'000};  // maintain() releases blocks that are idle for longer
  std::chrono::milliseconds deadline{2'000};     // of the wait for blocks in flight
  Fallback fallback = Fallback::fail;
  Resource* fallback_resource = nullptr;  // must outlive the cache
  Quota* quota = nullptr;                 // shared with other caches; must outlive the cache
};

class MemoryCache final : public Resource {
 public:
  // Caches memory of the device in `space`. The device must outlive the cache. Throws DeviceError if the
  // device has no such memory.
  MemoryCache(Device& device, Space space, const CacheTraits& traits = {});
  // Waits for blocks in flight and returns all memory to the device. Reports live blocks as leaks.
  ~MemoryCache() override;

  // If no idle block fits and the device has no memory left, the allocation tries in this order:
  //   1. idle blocks of all threads
  //   2. a block up to a quarter larger
  //   3. a part of a larger block
  //   4. a new block from the device after idle blocks of other sizes were released
  //   5. a block in flight, for which the queue waits
  //   6. steps 1 to 5 again, while the thread waits for blocks in flight or for quota of others, until the
  //      deadline
  //   7. the fallback
  // Throws DeviceError if `alignment` exceeds that of the traits.
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
  // Periodic maintenance, to be called for instance once per time step. Releases blocks that are idle for
  // longer than trim_after, or all idle blocks if another user of the quota has requested memory. Returns the
  // bytes released.
  std::size_t maintain();

  // Checks the invariants: every block is live, or idle in exactly one list of its class, or split into two
  // blocks; every block is found by its address unless it is split; the sizes of the blocks from the device
  // sum up to the bytes held. The result is meaningful only if no other call is in progress.
  bool is_valid();

 private:
  // Counter that one thread at a time writes (the holder of the shard's lock), and any thread reads.
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
    Figure live, live_in_classes, allocations, hits, from_other_threads, queue_waits, waited, fallbacks,
        failures;
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
  enum class Readiness : std::uint8_t { complete_or_same_queue, any };
  enum class Reason : std::uint8_t { eviction, trim };
  struct Search;
  // Snapshot of a block that was found in a list of idle blocks; it may have been taken since.
  struct Idle {
    Block *block, *parent;
    std::size_t shard;
    std::uint16_t size_class;
    std::int64_t since;
  };

  static constexpr int shard_count = 64;

  Shard& own_shard();
  bool unlink(const Idle& idle);
  static Block* take(Shard& shard, int size_class, Queue queue, int depth, Readiness readiness);
  void put_back(Block* block);
  void restrict_access(Block* block, std::size_t usable);
  void* hand_out(Block* block, Shard& shard, std::size_t bytes);

  // Slow path, memory_cache_slow_path.cpp. Null with the reason in `error` if all steps failed.
  void* allocate_slow_path(Queue queue, std::size_t bytes, std::size_t alignment,
                           std::unique_ptr<OutOfMemory>& error);
  void* allocate_with_error(Queue queue, std::size_t bytes, std::size_t alignment,
                            std::unique_ptr<OutOfMemory>& error);
  Block* search_idle(Search& search, int size_class, Readiness readiness);
  Block* search_with_refresh(Search& search, int size_class);
  Block* grow(Search& search);
  bool exceeds_slack(std::size_t more) const;
  Block* find_block(Search& search);
  Block* search_classes(Search& search);
  bool worth_waiting(const Search& search) const;
  void* fall_back(Queue queue, std::size_t bytes);
  OutOfMemory failure(std::size_t bytes) const;

  // Splitting and coalescing of blocks, memory_cache_split.cpp.
  Block* split_idle(Search& search);
  std::size_t begin_of_rest(int size_class) const;
  std::pair<Block*, Block*> split(Block* parent, int size_class);
  bool coalesce(std::int64_t idle_before);
  void merge(Block* part, Block* other);
  void make_idle(Block* block);

  // Release of memory, memory_cache_release.cpp.
  std::size_t release_idle(std::size_t bytes, std::int64_t idle_before, Reason reason);
  void release(const std::vector<Block*>& blocks, Reason reason);
  void refresh_queues();
  std::vector<Idle> idle_since_before(std::int64_t time) const;
  bool any_in_flight() const;
  Block* new_block();
  // Notes that blocks of the class exist or existed.
  void note_class(int size_class) {
    const auto number = static_cast<std::size_t>(size_class);
    classes_in_use_[number / 64].fetch_or(std::uint64_t{1} << (number % 64), std::memory_order_relaxed);
  }
  void misused(Block* block, const void* pointer, std::size_t bytes) noexcept;
  void deallocate_in_fallback(Block* block) noexcept;

  // Additional bytes requested from the device to align a block, because devices align to 256 bytes only.
  std::size_t padding() const { return traits_.alignment > 256 ? traits_.alignment : 0; }
  std::size_t raw_bytes(int size_class) const { return class_bytes(size_class) + padding(); }
  // Bytes held without padding.
  std::size_t held_in_classes() const {
    const std::size_t held = held_.load(), unusable = padding() * raw_blocks_.load();
    return held - std::min(unusable, held);
  }

  std::int64_t sum(Figure Figures::*figure) const;
  void note_peak();

  Device& device_;
  const Space space_;
  const Place place_;
  const CacheTraits traits_;
  std::unique_ptr<Shard[]> shards_;
  BlockTable table_;
  std::mutex registry_mutex_;  // protects blocks_, spare_blocks_ and changes of table_
  std::deque<Block> blocks_;
  std::vector<Block*> spare_blocks_;
  std::array<std::atomic<std::uint64_t>, (size_classes + 63) / 64> classes_in_use_{};
  std::atomic<std::size_t> held_{0}, peak_held_{0}, peak_live_{0}, device_releases_{0}, evictions_{0},
      trimmed_{0}, parts_{0}, splits_{0}, raw_blocks_{0};
  // Peaks of live bytes in the current and in the previous time window.
  std::atomic<std::size_t> window_peak_{0}, last_window_peak_{0};
  std::atomic<std::int64_t> window_begin_{0};
  std::atomic<std::uint64_t> answered_{0};  // number of requests (Quota::asked) that are answered
};

}  // namespace meander::gpu
