// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/diagnostics/point_gather.hpp"

#include <algorithm>

namespace meander::simulation {
namespace {

// A sample in a message: point, level, values, derivatives.
constexpr std::size_t head = 2;

void add(GatheredPoints& to, std::size_t point, const double* sample) {
  const std::size_t n = to.unknowns;
  for (std::size_t u = 0; u < n; ++u) to.values[point * n + u] += sample[head + u];
  for (std::size_t u = 0; u < n && !to.derivatives.empty(); ++u) {
    for (std::size_t a = 0; a < 3; ++a) to.derivatives[point * n + u][a] += sample[head + n + 3 * u + a];
  }
}

}  // namespace

GatheredPoints PointGather::gather(std::span<const SamplePoint> points, std::span<const int> unknowns,
                                   Derivatives derivatives) {
  const bool slopes = derivatives == Derivatives::all;
  const std::size_t n = unknowns.size(), length = head + (slopes ? 4 * n : n);
  const std::vector<HeldPoint> held = hold_points(view_, points, filled_);
  std::vector<double> own(held.size() * length);
  view_.team.for_chunks(held.size(), [&](int, std::size_t begin, std::size_t end) {
    std::vector<PointValue> both(n);
    for (std::size_t i = begin; i < end; ++i) {
      double* sample = own.data() + i * length;
      const solvers::PatchTask& patch = view_.patches[held[i].leaf];
      sample[0] = static_cast<double>(held[i].point);
      sample[1] = view_.levels[held[i].leaf];
      if (!slopes) {
        simulation::gather(held[i].stencil, patch, view_.layout, unknowns, std::span(sample + head, n));
        continue;
      }
      simulation::gather(held[i].stencil, patch, view_.layout, unknowns, std::span(both));
      for (std::size_t u = 0; u < n; ++u) {
        sample[head + u] = both[u].value;
        std::copy(both[u].derivative.begin(), both[u].derivative.end(), sample + head + n + 3 * u);
      }
    }
  });
  // In the order of the curve, independent of the ranks.
  const std::vector<double> all = view_.communicator.all_gather(std::span<const double>(own));
  GatheredPoints result{.unknowns = n,
                        .values = std::vector<double>(points.size() * n, 0.0),
                        .derivatives = {},
                        .levels = std::vector<int>(points.size(), -1)};
  if (slopes) result.derivatives.assign(points.size() * n, {});
  for (std::size_t at = 0; at < all.size(); at += length) {
    int& level = result.levels[static_cast<std::size_t>(all[at])];
    level = std::max(level, static_cast<int>(all[at + 1]));
  }
  std::vector<int> count(points.size(), 0);
  for (std::size_t at = 0; at < all.size(); at += length) {
    const auto point = static_cast<std::size_t>(all[at]);
    if (static_cast<int>(all[at + 1]) != result.levels[point]) continue;
    add(result, point, all.data() + at);
    ++count[point];
  }
  for (std::size_t point = 0; point < points.size(); ++point) {
    for (std::size_t u = 0; u < n && count[point] > 1; ++u) {
      result.values[point * n + u] /= count[point];
      if (slopes) {
        for (double& slope : result.derivatives[point * n + u]) slope /= count[point];
      }
    }
  }
  return result;
}

}  // namespace meander::simulation
