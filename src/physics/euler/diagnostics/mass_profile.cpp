// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/euler/diagnostics/mass_profile.hpp"

#include <cmath>
#include <numbers>

#include "base/assert.hpp"
#include "base/vec.hpp"

namespace meander::euler {

using namespace simulation;

const std::vector<double>& MassProfiler::excess(const StateView& view, const ShellGrid& grid,
                                                double domain_volume) {
  // Large enough for any excess of a volume (2^51 quanta) or of all volumes (2^63); small enough to leave
  // gravity unaffected.
  const double quantum = std::ldexp(1.0, static_cast<int>(std::ceil(std::log2(domain_volume))) - 52);
  sums_.sum_excess(view, grid, 0, 1.0, quantum);
  excess_ = sums_.inside(0);
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
