// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What offloading came to, for the summary.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parallel/communicator.hpp"
#include "tasks/offload_engine.hpp"

namespace meander::simulation {

// Of a rank, or summed up over ranks; since the start or restart.
struct OffloadReport {
  tasks::OffloadCounts counts;
  std::int64_t devices = 0;   // of each rank
  std::int64_t updates = 0;   // of patches, on devices or not
  std::int64_t enclaves = 0;  // of these, what devices may have
  std::int64_t allocations = 0, cache_hits = 0;
  std::int64_t fallbacks = 0;   // allocations that pinned memory served instead
  std::int64_t evictions = 0;   // idle blocks given back because memory was short
  std::int64_t while_busy = 0;  // allocations that asked a device at work
  // Held by caches, windows in pinned memory left out: at present and at most.
  std::int64_t device_bytes = 0, peak_device_bytes = 0;
  double memory_waits = 0;  // seconds that threads waited for memory in flight
  OverlapTime batches;      // of the time that batches were under way
  tasks::SplitRates rates;  // summed up over ranks: the means of those with devices

  double share() const;     // of the patch updates, done on devices
  double hit_rate() const;  // of the memory cache; 1 if it was never asked
};

// Null where no rank has devices: nodes may differ. Collective.
std::optional<OffloadReport> sum_over_ranks(const std::optional<OffloadReport>& own,
                                            const parallel::Communicator& communicator);

std::vector<std::string> offload_lines(const OffloadReport& report);
// Keys and values for summary.json.
std::vector<std::pair<std::string, std::string>> offload_figures(const OffloadReport& report);

}  // namespace meander::simulation
