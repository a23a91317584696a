// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The state of all leaves after a sweep.

#include <array>
#include <cstdint>
#include <span>

#include "parallel/communicator.hpp"
#include "solvers/solver.hpp"

namespace meander::tasks {

// Levels of a tree: at least one more than Key::max_level.
inline constexpr int most_levels = 20;

// Bitwise identical for every number of threads.
struct SweepStatus {
  // Min over the leaves of all ranks of dx / max_rate: the step at Courant number 1; infinite without waves.
  double min_crossing = 0;
  // The same by level. Of this rank; of all after merge_over_ranks().
  std::array<double, most_levels> crossing{};
  bool failed = false;  // the state of some rank is inadmissible
  // Of this rank: sums over leaves of the counts in solvers::PatchStatus.
  std::int64_t first_order = 0;
  std::int64_t floored = 0;
  std::int64_t strayed = 0;
  // Of this rank: the first leaf with an inadmissible state, or -1.
  std::int32_t inadmissible = -1;
  // For each bound of the solver, the first leaf that reports a breach, or -1, and the report.
  struct Breached {
    std::int32_t leaf = -1;
    solvers::Breach breach;
  };
  std::array<Breached, solvers::most_bounds> breached;
};

// The status of a rank's leaves by those of the patches.
SweepStatus merge(std::span<const solvers::PatchTask> patches, std::span<const int> levels,
                  std::span<const solvers::PatchStatus> statuses);

// With crossing times and failure of all ranks. Collective.
SweepStatus merge_over_ranks(SweepStatus status, const parallel::Communicator& communicator);

}  // namespace meander::tasks
