// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What became of batches and their patches.

#include <cstdint>

namespace meander::offload {

// Since the start.
struct Counts {
  std::int64_t batches = 0;  // completed on a device
  std::int64_t patches = 0;  // of these batches
  std::int64_t failed = 0;   // batches whose first attempt failed
  std::int64_t deferred = 0, retried = 0, split = 0;
  std::int64_t on_cpu = 0;    // patches of failed batches, updated on the CPU
  std::int64_t given_up = 0;  // devices that are lost or no longer used
};

}  // namespace meander::offload
