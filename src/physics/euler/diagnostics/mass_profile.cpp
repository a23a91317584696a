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

// The rate of a ball's mass excess by the integrals of the radial momentum over balls, whose derivative by the radius is
// the mass flux through the sphere.
std::vector<double> growth_of(const ShellGrid& grid, const std::vector<double>& momentum) {
  std::vector<double> growth(momentum.size(), 0.0);
  const std::size_t last = growth.size() - 1;
  for (std::size_t i = 1; i < last; ++i) growth[i] = -(momentum[i + 1] - momentum[i - 1]) / (2 * grid.dr);
  growth[last] = -(momentum[last] - momentum[last - 1]) / grid.dr;
  return growth;
}

ShellsInTime::Sum mass_of(const StateView& view, const ShellGrid& grid, double domain_volume) {
  return [&view, &grid, domain_volume](ShellSums<1>& sums, int coarsest) {
    sums.sum_excess(view, grid, 0, 1.0, quantum(domain_volume), coarsest);
  };
}
// A momentum may be larger than the density by this factor, and its rounding with it.
constexpr double largest_speed = 256;
ShellsInTime::Sum momentum_of(const StateView& view, const ShellGrid& grid, double domain_volume) {
  return [&view, &grid, domain_volume](ShellSums<1>& sums, int coarsest) {
    sums.sum_radial(view, grid, 1, largest_speed * quantum(domain_volume), coarsest);
  };
}

}  // namespace

std::vector<double> ShellsInTime::inside(std::size_t levels, const Sum& sum) {
  sum(sums_, 0);
  first_ = 0;
  steps_.resize(levels);
  for (std::size_t level = 0; level < levels; ++level) {
    const auto sums = sums_.sums_of(static_cast<int>(level));
    steps_[level].begin.assign(sums.begin(), sums.end());
  }
  return sums_.inside(0);
}

std::vector<double> ShellsInTime::inside(const LevelTimes& times, const Sum& sum) {
  // Levels from first_ on have taken a step since the last call: some of them stand at its end, coarser ones
  // than times.first, and wait for finer ones.
  const int coarsest = std::min(first_, times.first);
  sum(sums_, coarsest);
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
  first_ = times.first;
  return sums_.inside(0);
}

std::vector<double> MassProfiler::excess(const StateView& view, const ShellGrid& grid, double domain_volume) {
  return mass_.inside(view.level_dx.size(), mass_of(view, grid, domain_volume));
}

MassProfile MassProfiler::profile(const StateView& view, const ShellGrid& grid, double domain_volume) {
  const auto momentum = momentum_.inside(view.level_dx.size(), momentum_of(view, grid, domain_volume));
  return {excess(view, grid, domain_volume), growth_of(grid, momentum)};
}

MassProfile MassProfiler::profile(const StateView& view, const LevelTimes& times, const ShellGrid& grid,
                                  double domain_volume) {
  const auto momentum = momentum_.inside(times, momentum_of(view, grid, domain_volume));
  return {mass_.inside(times, mass_of(view, grid, domain_volume)), growth_of(grid, momentum)};
}

double gravity_strength(int dim, double scale_factor) {
  return (dim == 3 ? 1.5 : 3.0) * scale_factor / std::numbers::pi;
}

void fill_gravity(euler::SphericalGravity& gravity, const ShellGrid& grid, const MassProfile& profile,
                  double tau) {
  MEANDER_ASSERT(grid.count >= 1 && grid.count <= euler::SphericalGravity::max_bins);
  gravity.on = true;
  gravity.dim = grid.dim;
  gravity.bins = grid.count;
  for (std::size_t d = 0; d < 3; ++d) gravity.centre[d] = grid.centre[d];
  gravity.dr = grid.dr;
  gravity.strength = gravity_strength(grid.dim, 1 / (tau * tau));
  gravity.strength_rate = -2 * gravity.strength / tau;
  gravity.excess_total = profile.excess.back();
  gravity.excess_rate = profile.growth.back();
  double most = 0;
  for (int i = 1; i <= grid.count; ++i) {
    const double r = grid.radius(i), ball = ipow(r, grid.dim);
    const double g = profile.excess[static_cast<std::size_t>(i)] / ball;
    gravity.table[i] = g;
    gravity.table_rate[i] = profile.growth[static_cast<std::size_t>(i)] / ball;
    most = std::fmax(most, std::abs(g) * r);
  }
  // The mean excess about the centre is finite.
  for (double* table : {gravity.table, gravity.table_rate}) {
    table[0] = table[1];
    table[grid.count + 1] = table[grid.count];
  }
  gravity.g_max = gravity.strength * most;
}

}  // namespace meander::euler
