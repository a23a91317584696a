// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/step_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace meander::tasks {
namespace {

// Limits are products and quotients of rounded numbers, and may be exceeded by as much.
constexpr double rounding = 1e-12;
// Plans whose work differs by less are equal.
constexpr double equal_work = 1e-12;

// Bounds are computed with other roundings than what they bound.
constexpr double bound_rounding = 1e-9;

std::size_t free_levels(std::size_t levels, int subcycled) {
  return std::min(levels, static_cast<std::size_t>(std::max(0, subcycled)));
}

// The combinations of ratios 1 .. most of the last `free` of the levels; the other levels have ratio 1. There are
// most^free of them, of which a search visits few: a bound tells what a branch cannot reach.
class RatioSearch {
 public:
  RatioSearch(std::span<const double> limits, std::span<const std::int64_t> leaves, std::size_t free,
              int most)
      : limits_(limits),
        leaves_(leaves),
        first_(limits.size() - free),
        most_(most),
        ratios_(limits.size(), 1) {}

  // The levels down to `level`: steps of that level in one of the coarsest, updates of leaves, and the longest step of
  // the coarsest level that these levels permit.
  struct Node {
    std::size_t level = 0;
    double steps = 1, work = 0, dt = std::numeric_limits<double>::infinity();
  };

  // bound(node): at most the value of any combination below a node; the value itself at the finest level. Calls
  // body(ratios, node of the finest level) for the combinations of least value, to bound_rounding, and some others,
  // larger ratios of coarser levels first.
  template <class Bound, class Body>
  void run(const Bound& bound, const Body& body) {
    if (limits_.empty()) return body(ratios_, Node{});
    double least = std::numeric_limits<double>::infinity();
    descend(0, {}, true, least, bound,
            [&](const std::vector<int>&, const Node& node) { least = std::min(least, bound(node)); });
    descend(0, {}, false, least, bound, body);
  }

 private:
  struct Child {
    int ratio;
    double bound;
    Node node;
  };
  template <class Bound, class Body>
  void descend(std::size_t level, const Node& above, bool best_first, const double& least, const Bound& bound,
               const Body& body) {
    std::array<Child, most_ratio> children;
    std::size_t count = 0;
    for (int ratio = level < first_ ? 1 : most_; ratio >= 1; --ratio, ++count) {
      const double steps = above.steps * ratio;
      const Node node{level, steps, above.work + static_cast<double>(leaves_[level]) * steps,
                      std::min(above.dt, steps * limits_[level])};
      children[count] = {ratio, bound(node), node};
    }
    const std::span found = std::span(children).first(count);
    if (best_first) std::ranges::stable_sort(found, {}, &Child::bound);
    for (const Child& child : found) {
      if (!(child.bound * (1 - bound_rounding) <= least) || std::isinf(child.bound)) continue;
      ratios_[level] = child.ratio;
      if (level + 1 == limits_.size()) {
        body(ratios_, child.node);
      } else {
        descend(level + 1, child.node, best_first, least, bound, body);
      }
    }
  }

  std::span<const double> limits_;
  std::span<const std::int64_t> leaves_;
  std::size_t first_;
  int most_;
  std::vector<int> ratios_;
};

using Node = RatioSearch::Node;

}  // namespace

StepPlan plan_steps(std::span<const double> limits, std::span<const std::int64_t> leaves, int subcycled) {
  const std::size_t levels = limits.size();
  StepPlan best{std::numeric_limits<double>::infinity(), std::vector<int>(levels, 1)};
  if (std::ranges::all_of(limits, [](double limit) { return std::isinf(limit); })) return best;
  if (!(std::ranges::min(limits) > 0)) return {0, best.ratios};
  double least = std::numeric_limits<double>::infinity();
  // Steps of finer levels are no longer than those of a node's level or than their limit.
  const auto bound = [&](const Node& node) {
    double per_time = node.work / node.dt;
    for (std::size_t l = node.level + 1; l < levels; ++l)
      per_time += static_cast<double>(leaves[l]) * std::max(node.steps / node.dt, 1 / limits[l]);
    return per_time;
  };
  RatioSearch(limits, leaves, free_levels(levels - 1, subcycled), planned_ratio)
      .run(bound, [&](const std::vector<int>& ratios, const Node& node) {
        const double per_time = node.work / node.dt;
        if (!(per_time < least * (1 - equal_work))) return;
        least = per_time;
        best = {node.dt, ratios};
      });
  return best;
}

std::vector<int> choose_ratios(double dt, std::span<const double> limits,
                               std::span<const std::int64_t> leaves, int subcycled) {
  const std::size_t levels = limits.size(), free = free_levels(levels, subcycled);
  std::vector<int> best;
  for (int most = planned_ratio; most <= most_ratio && best.empty(); ++most) {
    double least = std::numeric_limits<double>::infinity();
    const auto bound = [&](const Node& node) {
      constexpr double impossible = std::numeric_limits<double>::infinity();
      // Levels that share the step of the coarser one must accept it.
      if (node.level >= levels - free && dt > node.steps * limits[node.level] * (1 + rounding))
        return impossible;
      double work = node.work, most_steps = node.steps;
      for (std::size_t l = std::max(node.level + 1, levels - free); l < levels; ++l) {
        const double needed = dt / limits[l];
        if ((most_steps *= most) < needed * (1 - bound_rounding)) return impossible;
        work += static_cast<double>(leaves[l]) * std::max(node.steps, needed * (1 - bound_rounding));
      }
      return work;
    };
    RatioSearch(limits, leaves, free, most).run(bound, [&](const std::vector<int>& ratios, const Node& node) {
      if (!(node.work < least)) return;
      least = node.work;
      best = ratios;
    });
    if (levels == 0) break;
  }
  if (best.empty()) {
    best.assign(levels, 1);
    std::fill(best.end() - static_cast<std::ptrdiff_t>(free), best.end(), most_ratio);
  }
  return best;
}

}  // namespace meander::tasks
