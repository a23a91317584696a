// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/diagnostics/totals.hpp"

#include <algorithm>

#include "base/vec.hpp"

namespace meander::simulation {
namespace {

// The sum of one unknown over a patch.
double sum_over_patch(const solvers::PatchLayout& layout, const double* slot, int unknown) {
  double sum = 0;
  for (int k = 0; k < (layout.dim == 3 ? layout.p : 1); ++k) {
    for (int j = 0; j < layout.p; ++j) {
      const double* q = slot + layout.at(unknown, 0, j, k);
      double of_row = 0;
      for (int i = 0; i < layout.p; ++i) of_row += q[i];
      sum += of_row;
    }
  }
  return sum;
}

}  // namespace

void sum_over_ranks(const parallel::Communicator& communicator, std::span<ExactSum> sums) {
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

std::vector<double> totals(const StateView& view) {
  const auto unknowns = static_cast<std::size_t>(view.layout.unknowns);
  std::vector<double> of_leaves(view.patches.size() * unknowns);
  view.team.for_chunks(view.patches.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      const auto& patch = view.patches[leaf];
      const double volume = ipow(patch.dx, view.layout.dim);
      for (std::size_t u = 0; u < unknowns; ++u) {
        of_leaves[leaf * unknowns + u] = sum_over_patch(view.layout, patch.q, static_cast<int>(u)) * volume;
      }
    }
  });
  std::vector<ExactSum> sums(unknowns);
  for (std::size_t i = 0; i < of_leaves.size(); ++i) sums[i % unknowns].add(of_leaves[i]);
  sum_over_ranks(view.communicator, sums);
  std::vector<double> totals;
  for (const ExactSum& sum : sums) totals.push_back(sum.value());
  return totals;
}

}  // namespace meander::simulation
