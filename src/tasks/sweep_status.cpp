// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/sweep_status.hpp"

#include <algorithm>
#include <limits>

namespace meander::tasks {

SweepStatus merge(std::span<const solvers::PatchTask> patches, std::span<const int> levels,
                  std::span<const solvers::PatchStatus> statuses) {
  SweepStatus merged;
  merged.min_crossing = std::numeric_limits<double>::infinity();
  merged.crossing.fill(std::numeric_limits<double>::infinity());
  for (std::size_t leaf = 0; leaf < patches.size(); ++leaf) {
    const solvers::PatchStatus& status = statuses[leaf];
    double& crossing = merged.crossing[static_cast<std::size_t>(levels[leaf])];
    crossing = std::min(crossing, patches[leaf].dx / status.max_rate);
    merged.first_order += status.first_order;
    merged.floored += status.floored;
    merged.strayed += status.strayed;
    if (status.breach.bound >= 0) {
      auto& first = merged.breached[static_cast<std::size_t>(status.breach.bound)];
      if (first.leaf < 0) first = {static_cast<std::int32_t>(leaf), status.breach};
    }
    if (!status.admissible && merged.inadmissible < 0) merged.inadmissible = static_cast<std::int32_t>(leaf);
  }
  merged.min_crossing = std::ranges::min(merged.crossing);
  merged.failed = merged.inadmissible >= 0;
  return merged;
}

}  // namespace meander::tasks
