// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// State of one allocation on the slow path, shared by the source files of the cache.

#include "gpu/memory_cache.hpp"

namespace meander::gpu {

// If memory is short, blocks of the next two classes are accepted; they are up to a quarter larger.
inline constexpr int larger_classes = 2;

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

}  // namespace meander::gpu
