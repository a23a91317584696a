// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/status_reduction.hpp"

#include <algorithm>

#include "base/trace.hpp"

namespace meander::tasks {
namespace {

std::array<double, most_levels + 1> values_of(const SweepStatus& status) {
  std::array<double, most_levels + 1> values;
  std::ranges::transform(status.crossing, values.begin(), [](double crossing) { return -crossing; });
  values.back() = status.failed ? 1 : 0;
  return values;
}

}  // namespace

StatusReduction::StatusReduction(const SweepStatus& status, const parallel::Communicator& communicator)
    : status_(status), values_(values_of(status)), reduction_(communicator, values_) {}

SweepStatus StatusReduction::finish() {
  if (reduction_.is_empty()) return status_;
  {
    const trace::Scope scope("wait for reduction");
    reduction_.wait();
  }
  std::transform(values_.begin(), values_.end() - 1, status_.crossing.begin(),
                 [](double value) { return -value; });
  status_.failed = values_.back() > 0;
  status_.min_crossing = std::ranges::min(status_.crossing);
  return status_;
}

SweepStatus merge_over_ranks(SweepStatus status, const parallel::Communicator& communicator) {
  return StatusReduction(status, communicator).finish();
}

}  // namespace meander::tasks
