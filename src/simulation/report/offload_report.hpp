// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Figures of offloading, for the summary.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "offload/engine.hpp"
#include "parallel/communicator.hpp"

namespace meander::simulation {

// Figures of one rank or summed over ranks, since the start or restart.
struct OffloadReport {
  offload::Counts counts;
  std::int64_t devices = 0;   // of each rank
  std::int64_t updates = 0;   // of patches, on devices and threads
  std::int64_t enclaves = 0;  // of these, updates of enclaves, which devices may take
  std::int64_t allocations = 0, cache_hits = 0;
  std::int64_t fallbacks = 0;   // allocations in pinned memory instead of device memory
  std::int64_t evictions = 0;   // idle blocks released because memory was short
  std::int64_t while_busy = 0;  // allocations on a busy device
  // Bytes of the caches without windows in pinned memory: present and maximum.
  std::int64_t device_bytes = 0, peak_device_bytes = 0;
  double memory_waits = 0;    // seconds that threads waited for memory of batches in flight
  OverlapTime batches;        // of the time with batches in flight
  offload::SplitRates rates;  // in a sum over ranks: the means over ranks with devices

  double share() const;     // fraction of the patch updates on devices
  double hit_rate() const;  // of the memory cache; 1 without allocations
};

// Nothing if no rank has devices; nodes may differ. Collective.
std::optional<OffloadReport> sum_over_ranks(const std::optional<OffloadReport>& own,
                                            const parallel::Communicator& communicator);

std::vector<std::string> offload_lines(const OffloadReport& report);
// Keys and values for summary.json.
std::vector<std::pair<std::string, std::string>> offload_figures(const OffloadReport& report);

}  // namespace meander::simulation
