// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Records of the cache's blocks, and a hash table that finds them by address. Device memory cannot hold a
// block header, so every deallocation looks up its pointer; the look-up also detects invalid pointers.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/queue.hpp"

namespace meander::gpu {

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

}  // namespace meander::gpu
