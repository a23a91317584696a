// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Figures of devices, for the summary: of batches that are offloaded, or of patches that live on a device.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/overlap.hpp"
#include "mesh/facts.hpp"
#include "offload/counts.hpp"
#include "offload/split.hpp"
#include "parallel/communicator.hpp"
#include "simulation/report/figures.hpp"

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

  // Fraction of the patch updates on devices.
  double share() const { return quotient(counts.patches, updates); }
  // Of the memory cache; 1 without allocations.
  double hit_rate() const { return quotient(cache_hits, allocations, 1); }
};

// Figures of one rank or summed over ranks, since the start or restart; set-up is excluded.
struct ResidentReport {
  std::int64_t devices = 0;  // one a rank
  // Of steps without regrid.
  std::int64_t plain_steps = 0, launches = 0, stages = 0;
  // Of steps with regrid, before it: for runs without other steps.
  std::int64_t regrid_step_launches = 0, regrid_step_stages = 0;
  double host_seconds = 0;  // outside waiting for the device and other ranks, and new tables
  // Of all steps, with the output between them.
  std::int64_t steps = 0, bytes_in = 0, bytes_out = 0;  // over the link
  std::int64_t regrids = 0;
  double regrid_seconds = 0;                         // with the new tables and patches on the device
  std::map<std::string, std::int64_t> brought_home;  // how often patches were copied to the host, by reason
  std::int64_t device_bytes = 0, peak_device_bytes = 0;  // of the caches: present and maximum
  std::int64_t not_page_locked = 0;    // buffers of the host, for copies to and from the device
  std::int64_t messages_in_place = 0;  // ranks whose messages lie in the memory of the device

  // Counts a step. before, swept, after: at its beginning, before the regrid if there is one, and at its end.
  // `seconds`: its length without waiting for other ranks.
  struct StepCounts {
    mesh::DeviceCounts before, swept, after;
  };
  void add_step(const StepCounts& counts, double seconds, bool with_regrid);

  double launches_per_stage() const {
    return stages > 0 ? quotient(launches, stages) : quotient(regrid_step_launches, regrid_step_stages);
  }
  double host_seconds_per_step() const { return quotient(host_seconds, plain_steps); }
  // Of all ranks, which make the same steps.
  double bytes_in_per_step() const { return quotient(bytes_in * devices, steps); }
  double bytes_out_per_step() const { return quotient(bytes_out * devices, steps); }
  double seconds_per_regrid() const { return quotient(regrid_seconds, regrids); }
  std::int64_t times_brought_home() const;
};

// Nothing if no rank has such devices; nodes may differ. Collective.
std::optional<OffloadReport> sum_over_ranks(const std::optional<OffloadReport>& own,
                                            const parallel::Communicator& communicator);
std::optional<ResidentReport> sum_over_ranks(const std::optional<ResidentReport>& own,
                                             const parallel::Communicator& communicator);

std::vector<std::string> lines_of(const OffloadReport& report);
std::vector<std::string> lines_of(const ResidentReport& report);
// For the sum and summary.json. Values are those of `report`, which must exist as long as they are used.
std::vector<Figure> figures_of(OffloadReport& report);
std::vector<Figure> figures_of(ResidentReport& report);

}  // namespace meander::simulation
