// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/step_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace meander::tasks {
namespace {

// Limits are products and quotients of rounded numbers, and may be exceeded by as much.
constexpr double rounding = 1e-12;
// Plans whose work differs by less are equal.
constexpr double equal_work = 1e-12;

// Calls body for every combination of ratios 1 .. most of the last `free` of `levels` levels, larger ratios
// of coarser levels first; the other levels have ratio 1.
template <class Body>
void for_ratios(std::size_t levels, std::size_t free, int most, const Body& body) {
  std::vector<int> ratios(levels, 1);
  const std::size_t first = levels - free;
  std::fill(ratios.begin() + static_cast<std::ptrdiff_t>(first), ratios.end(), most);
  for (;;) {
    body(ratios);
    std::size_t level = levels;
    while (level > first && ratios[level - 1] == 1) ratios[--level] = most;
    if (level == first) return;
    --ratios[level - 1];
  }
}

std::size_t free_levels(std::size_t levels, int subcycled) {
  return std::min(levels, static_cast<std::size_t>(std::max(0, subcycled)));
}

double work(std::span<const std::int64_t> leaves, std::span<const int> ratios) {
  double sum = 0, steps = 1;
  for (std::size_t level = 0; level < leaves.size(); ++level) {
    steps *= ratios[level];
    sum += static_cast<double>(leaves[level]) * steps;
  }
  return sum;
}

}  // namespace

StepPlan plan_steps(std::span<const double> limits, std::span<const std::int64_t> leaves, int subcycled) {
  const std::size_t levels = limits.size();
  StepPlan best{std::numeric_limits<double>::infinity(), std::vector<int>(levels, 1)};
  if (std::ranges::all_of(limits, [](double limit) { return std::isinf(limit); })) return best;
  double least = std::numeric_limits<double>::infinity();
  for_ratios(levels, free_levels(levels - 1, subcycled), planned_ratio, [&](const std::vector<int>& ratios) {
    double dt = std::numeric_limits<double>::infinity(), steps = 1;
    for (std::size_t level = 0; level < levels; ++level) {
      steps *= ratios[level];
      dt = std::min(dt, steps * limits[level]);
    }
    const double per_time = work(leaves, ratios) / dt;
    if (!(per_time < least * (1 - equal_work))) return;
    least = per_time;
    best = {dt, ratios};
  });
  return best;
}

std::vector<int> choose_ratios(double dt, std::span<const double> limits,
                               std::span<const std::int64_t> leaves, int subcycled) {
  const std::size_t levels = limits.size(), free = free_levels(levels, subcycled);
  std::vector<int> best;
  for (int most = planned_ratio; most <= most_ratio && best.empty(); ++most) {
    double least = std::numeric_limits<double>::infinity();
    for_ratios(levels, free, most, [&](const std::vector<int>& ratios) {
      double steps = 1;
      for (std::size_t level = 0; level < levels; ++level) {
        steps *= ratios[level];
        // Levels that share the step of the coarser one must accept it.
        if (level >= levels - free && dt > steps * limits[level] * (1 + rounding)) return;
      }
      const double sum = work(leaves, ratios);
      if (!(sum < least)) return;
      least = sum;
      best = ratios;
    });
  }
  if (best.empty()) {
    best.assign(levels, 1);
    std::fill(best.end() - static_cast<std::ptrdiff_t>(free), best.end(), most_ratio);
  }
  return best;
}

std::vector<std::int64_t> steps_by_level(std::span<const int> ratios) {
  std::vector<std::int64_t> steps(ratios.begin(), ratios.end());
  std::partial_sum(steps.begin(), steps.end(), steps.begin(), std::multiplies<>());
  return steps;
}

std::int64_t leaf_updates(std::span<const std::int64_t> leaves, std::span<const std::int64_t> steps) {
  return std::inner_product(leaves.begin(), leaves.end(), steps.begin(), std::int64_t{0});
}

double ideal_gain(std::span<const std::int64_t> leaves, std::span<const std::int64_t> steps) {
  const std::int64_t all = std::accumulate(leaves.begin(), leaves.end(), std::int64_t{0});
  const std::int64_t most = steps.empty() ? 1 : *std::ranges::max_element(steps);
  const std::int64_t updates = leaf_updates(leaves, steps);
  return updates > 0 ? static_cast<double>(most * all) / static_cast<double>(updates) : 1.0;
}

}  // namespace meander::tasks
