// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The status of a rank's leaves, and its merge over ranks. Bitwise identical for every number of threads.

#include <array>
#include <span>

#include "parallel/communicator.hpp"
#include "solvers/status.hpp"

namespace meander::tasks {

// By the status of each patch.
solvers::Status merge(std::span<const solvers::PatchTask> patches, std::span<const int> levels,
                      std::span<const solvers::PatchStatus> statuses);

// Crossing times and failure of all ranks, computed while the ranks do other work. Counts and reports remain those of
// this rank.
class StatusReduction {
 public:
  // Starts the merge of this rank's status. Collective.
  StatusReduction(const solvers::Status& status, const parallel::Communicator& communicator);

  parallel::MaxReduction& messages() { return reduction_; }
  // Waits.
  solvers::Status finish();

 private:
  using Values = std::array<double, solvers::Status::most_levels + 1>;
  static Values values_of(const solvers::Status& status);

  solvers::Status status_;
  Values values_;  // negative crossing times, then whether the state has failed
  parallel::MaxReduction reduction_;
};

inline solvers::Status merge_over_ranks(const solvers::Status& status,
                                        const parallel::Communicator& communicator) {
  return StatusReduction(status, communicator).finish();
}

}  // namespace meander::tasks
