// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/block_table.hpp"

#include "base/assert.hpp"

namespace meander::gpu {

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
