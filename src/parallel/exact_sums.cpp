// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "parallel/exact_sums.hpp"

#include <algorithm>
#include <vector>

namespace meander::parallel {

void sum_over_ranks(const Communicator& communicator, std::span<ExactSum> sums) {
  if (communicator.size() == 1) return;
  std::vector<std::int64_t> parts;
  for (const ExactSum& sum : sums) {
    const ExactSum::Parts own = sum.parts();
    parts.insert(parts.end(), own.begin(), own.end());
  }
  communicator.sum(std::span<std::int64_t>(parts));
  for (std::size_t i = 0; i < sums.size(); ++i) {
    ExactSum::Parts all;
    std::copy_n(parts.begin() + static_cast<std::ptrdiff_t>(i * all.size()), all.size(), all.begin());
    sums[i] = ExactSum(all);
  }
}

}  // namespace meander::parallel
