// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/euler/diagnostics/mass_profile.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/assert.hpp"
#include "base/vec.hpp"

namespace meander::euler {

using namespace simulation;

namespace {

// Large enough for any excess of a volume (2^51 quanta) or of all volumes (2^63); small enough to leave
// gravity unaffected.
double quantum(double domain_volume) {
  return std::ldexp(1.0, static_cast<int>(std::ceil(std::log2(domain_volume))) - 52);
}

// Sums are integers: so is their mean in time, rounded.
std::uint64_t mean(std::uint64_t begin, std::uint64_t end, double passed) {
  const auto change = static_cast<std::int64_t>(end - begin);
  return begin + static_cast<std::uint64_t>(std::llround(passed * static_cast<double>(change)));
}

}  // namespace

const std::vector<double>& MassProfiler::excess(const StateView& view, const ShellGrid& grid,
                                                double domain_volume) {
  sums_.sum_excess(view, grid, 0, 1.0, quantum(domain_volume));
  excess_ = sums_.inside(0);
  first_ = 0;
  steps_.resize(view.level_dx.size());
  for (std::size_t level = 0; level < steps_.size(); ++level) {
    const auto sums = sums_.sums_of(static_cast<int>(level));
    steps_[level].begin.assign(sums.begin(), sums.end());
  }
  return excess_;
}

const std::vector<double>& MassProfiler::excess(const StateView& view, const LevelTimes& times,
                                                const ShellGrid& grid, double domain_volume) {
  MEANDER_ASSERT(steps_.size() == view.level_dx.size());
  // Levels from first_ on have taken a step since the last call: some of them stand at its end, coarser ones
  // than times.first, and wait for finer ones.
  const int coarsest = std::min(first_, times.first);
  sums_.sum_excess(view, grid, 0, 1.0, quantum(domain_volume), coarsest);
  for (int level = 0; level < static_cast<int>(steps_.size()); ++level) {
    Step& step = steps_[static_cast<std::size_t>(level)];
    const auto sums = sums_.sums_of(level);
    if (level >= times.first) {
      step.begin.assign(sums.begin(), sums.end());
      continue;
    }
    if (level >= coarsest) step.end.assign(sums.begin(), sums.end());
    const double passed = times.passed[static_cast<std::size_t>(level)];
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = mean(step.begin[i], step.end[i], passed);
  }
  excess_ = sums_.inside(0);
  first_ = times.first;
  return excess_;
}

double gravity_strength(int dim, double scale_factor) {
  return (dim == 3 ? 1.5 : 3.0) * scale_factor / std::numbers::pi;
}

void fill_gravity(euler::SphericalGravity& gravity, const ShellGrid& grid, const std::vector<double>& excess,
                  double scale_factor) {
  MEANDER_ASSERT(grid.count >= 1 && grid.count <= euler::SphericalGravity::max_bins);
  gravity.on = true;
  gravity.dim = grid.dim;
  gravity.bins = grid.count;
  for (std::size_t d = 0; d < 3; ++d) gravity.centre[d] = grid.centre[d];
  gravity.dr = grid.dr;
  gravity.strength = gravity_strength(grid.dim, scale_factor);
  gravity.excess_total = excess.back();
  double most = 0;
  for (int i = 1; i <= grid.count; ++i) {
    const double r = grid.radius(i);
    const double g = excess[static_cast<std::size_t>(i)] / ipow(r, grid.dim);
    gravity.table[i] = g;
    most = std::fmax(most, std::abs(g) * r);
  }
  // The mean excess about the centre is finite.
  gravity.table[0] = gravity.table[1];
  gravity.table[grid.count + 1] = gravity.table[grid.count];
  gravity.g_max = gravity.strength * most;
}

}  // namespace meander::euler
