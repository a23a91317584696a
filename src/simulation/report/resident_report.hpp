// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Figures of patches that live on devices, for the summary.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mesh/device_patches.hpp"
#include "parallel/communicator.hpp"

namespace meander::simulation {

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

  // Counts a step. before, swept, after: at its beginning, before the regrid if there is one, and at its end.
  // `seconds`: its length without waiting for other ranks.
  struct StepCounts {
    mesh::DeviceCounts before, swept, after;
  };
  void add_step(const StepCounts& counts, double seconds, bool with_regrid);

  double launches_per_stage() const;
  double host_seconds_per_step() const;
  double bytes_in_per_step() const;  // of all ranks
  double bytes_out_per_step() const;
  double seconds_per_regrid() const;
  std::int64_t times_brought_home() const;
};

// Nothing if the patches of no rank live on a device. Collective.
std::optional<ResidentReport> sum_over_ranks(const std::optional<ResidentReport>& own,
                                             const parallel::Communicator& communicator);

std::vector<std::string> resident_lines(const ResidentReport& report);
// Keys and values for summary.json.
std::vector<std::pair<std::string, std::string>> resident_figures(const ResidentReport& report);

}  // namespace meander::simulation
