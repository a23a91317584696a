// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the cache knows of a block, and how it finds that by the block's address. Device memory cannot carry a
// header, so every free looks its pointer up, and that look-up is what tells good pointers from bad ones.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/queue.hpp"

namespace meander::gpu {

// carved: cut into two blocks, which stand for it.
enum class BlockState : std::uint8_t { released, live, idle, carved };

struct alignas(64) Block {
  std::atomic<void*> pointer{nullptr};    // as handed out
  std::atomic<std::size_t> requested{0};  // bytes, while live
  std::atomic<BlockState> state{BlockState::released};
  bool from_fallback = false;
  std::uint16_t size_class = 0;
  Block* next = nullptr;  // idle, of the same class and shard
  Event last_use;
  std::int64_t idle_since = 0;  // ns of the coarse monotonic clock
  void* raw = nullptr;          // as the device knows it; at or before `pointer`
  Block* whole = nullptr;       // of which this is a part; null if it came from the device
};

// Addresses to blocks: open addressing, read without lock, changed under the owner's. Blocks must outlive it.
class BlockTable {
 public:
  BlockTable();

  // Null if no block has that address. A pointer that its holder has not given back is always found.
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

  // No block of that address is in the table. Not at the same time as other changes.
  void insert(Block* block);
  void erase(const void* pointer);

 private:
  static constexpr std::uintptr_t erased = 1;  // no block lies there
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
  std::vector<std::unique_ptr<Table>> tables_;  // the old ones too, which readers may still be in
  std::size_t used_ = 0;
};

}  // namespace meander::gpu
