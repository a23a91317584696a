// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// merge_over_ranks(), while the ranks do other work.

#include <array>

#include "parallel/max_reduction.hpp"
#include "tasks/sweep_status.hpp"

namespace meander::tasks {

class StatusReduction {
 public:
  // Starts the merge of this rank's status. Collective.
  StatusReduction(const SweepStatus& status, const parallel::Communicator& communicator);

  parallel::MaxReduction& messages() { return reduction_; }
  // Waits. The status with crossing times and failure of all ranks.
  SweepStatus finish();

 private:
  SweepStatus status_;
  std::array<double, most_levels + 1> values_;  // negative crossing times, then whether the state has failed
  parallel::MaxReduction reduction_;
};

}  // namespace meander::tasks
