// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the cache's source files share of the way up the ladder.

#include "gpu/memory_cache.hpp"

namespace meander::gpu {

// A block up to a quarter larger will do where memory is short.
inline constexpr int larger_classes = 2;

// One allocation on its way up the ladder.
struct MemoryCache::Search {
  Queue queue;
  std::size_t bytes;  // of the class
  int size_class;
  Shard& own;
  bool from_other = false;   // the block was found in another shard
  bool quota_ended = false;  // it was the quota that refused
  bool queue_waits = false;
  bool from_device = false;
  bool while_busy = false;
  std::chrono::steady_clock::duration waited{0};
};

}  // namespace meander::gpu
