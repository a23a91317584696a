// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/status.hpp"

#include <algorithm>
#include <functional>

#include "base/trace.hpp"

namespace meander::tasks {

solvers::Status merge(std::span<const solvers::PatchTask> patches, std::span<const int> levels,
                      std::span<const solvers::PatchStatus> statuses) {
  solvers::Status merged;
  for (std::size_t leaf = 0; leaf < patches.size(); ++leaf)
    merged.add(static_cast<std::int32_t>(leaf), levels[leaf], patches[leaf].dx, statuses[leaf]);
  return merged;
}

auto StatusReduction::values_of(const solvers::Status& status) -> Values {
  Values values;
  std::ranges::transform(status.crossing, values.begin(), std::negate());
  values.back() = status.failed ? 1 : 0;
  return values;
}

StatusReduction::StatusReduction(const solvers::Status& status, const parallel::Communicator& communicator)
    : status_(status), values_(values_of(status)), reduction_(communicator, values_) {}

solvers::Status StatusReduction::finish() {
  if (reduction_.is_empty()) return status_;
  {
    const trace::Scope scope("wait for reduction");
    reduction_.wait();
  }
  std::transform(values_.begin(), values_.end() - 1, status_.crossing.begin(), std::negate());
  status_.failed = values_.back() > 0;
  return status_;
}

}  // namespace meander::tasks
