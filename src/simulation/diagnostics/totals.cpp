// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/diagnostics/totals.hpp"

#include "base/exact_sum.hpp"
#include "base/vec.hpp"
#include "parallel/exact_sums.hpp"
#include "solvers/block_totals.hpp"

namespace meander::simulation {
namespace {

template <int D>
void sum_over_leaves(const StateView& view, std::size_t begin, std::size_t end, double* sums) {
  const solvers::SlotShape<D> shape(view.layout);
  for (std::size_t leaf = begin; leaf < end; ++leaf) {
    const double* const slot = view.patches[leaf].q;
    for (int u = 0; u < view.layout.unknowns; ++u)
      sums[leaf * static_cast<std::size_t>(view.layout.unknowns) + static_cast<std::size_t>(u)] =
          solvers::sum_over_interior<D>(shape, slot + u * shape.unknown_stride);
  }
}

}  // namespace

std::vector<double> sums_over_leaves(const StateView& view) {
  if (auto on_device = view.source->sum_leaves()) return std::move(*on_device);
  std::vector<double> sums(view.patches.size() * static_cast<std::size_t>(view.layout.unknowns));
  view.team.for_chunks(view.patches.size(), [&](int, std::size_t begin, std::size_t end) {
    view.layout.dim == 2 ? sum_over_leaves<2>(view, begin, end, sums.data())
                         : sum_over_leaves<3>(view, begin, end, sums.data());
  });
  return sums;
}

std::vector<double> totals(const StateView& view) {
  const auto unknowns = static_cast<std::size_t>(view.layout.unknowns);
  const std::vector<double> of_leaves = sums_over_leaves(view);
  std::vector<ExactSum> sums(unknowns);
  for (std::size_t i = 0; i < of_leaves.size(); ++i) {
    const double dx = view.patches.geometry()[i / unknowns].dx;
    sums[i % unknowns].add(of_leaves[i] * ipow(dx, view.layout.dim));
  }
  sum_over_ranks(view.communicator, sums);
  std::vector<double> totals;
  for (std::size_t u = 0; u < unknowns; ++u)
    totals.push_back(view.mirrors->odd(static_cast<int>(u)) ? 0.0 : view.mirrors->images() * sums[u].value());
  return totals;
}

}  // namespace meander::simulation
