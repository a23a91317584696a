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

// A momentum may be larger than the density by this factor, and its rounding with it.
constexpr double largest_speed = 256;

}  // namespace

MassShells::MassShells(const ShellGrid& grid, double domain_volume)
    : grid_(grid), quantum_(quantum(domain_volume)) {
  std::copy(grid.centre.begin(), grid.centre.end(), shells_.centre);
  shells_.constant = 1;
  shells_.excess_scale = 1 / quantum_;
  shells_.radial_scale = 1 / (largest_speed * quantum_);
}

void MassShells::start(std::size_t leaves, const solvers::PatchLayout& layout) {
  layout_ = layout;
  records_.assign(leaves, {});
  // A slab is at least 2/3 of a volume wide. Slots of the nearest volume's edge, of all up to a diagonal away, and one
  // on either side for rounding.
  const double edges = std::ceil(1.5 * layout.p * std::sqrt(layout.dim)) + 4;
  slots_of_leaf_ = solvers::LeafShells::slot_size * static_cast<std::size_t>(edges);
  slots_.resize(leaves * slots_of_leaf_);
}

void MassShells::observe(std::size_t leaf, const solvers::PatchTask& patch) {
  const Slabs slabs(grid_, patch.dx);
  Record& record = records_[leaf];
  record = {0, 0};
  if (is_beyond(patch, layout_, grid_, slabs)) return;
  const DistanceRange range = distances(patch, layout_, grid_);
  const double width = slabs.width(grid_);
  const auto edge = [width](double r) { return static_cast<int>(r / width + 0.5); };
  record.first = std::max(0, edge(range.nearest) - 1);
  const int last = std::min(edge(range.farthest) + 1, slabs.edges + 1);
  record.count = last - record.first + 1;
  const auto integers = static_cast<std::size_t>(record.count) * solvers::LeafShells::slot_size;
  MEANDER_ASSERT(integers <= slots_of_leaf_);
  std::fill_n(slots_of(leaf), integers, 0);
  shells_.add(patch, layout_, {1 / width, record.first, last}, slots_of(leaf));
}

void MassShells::sum(const StateView& view, int coarsest, ShellSums<2>& sums) const {
  solvers::ShellBatch excess, momentum;
  excess.constant = shells_.constant;
  momentum.unknown = 1;
  momentum.kind = solvers::ShellBatch::Kind::radial;
  const bool has_records = records_.size() == view.patches.size();
  const auto add = [&](std::size_t leaf, const Slabs& slabs, std::uint64_t* slots) {
    constexpr std::size_t slot_size = solvers::LeafShells::slot_size;
    if (!has_records || records_[leaf].count < 0) {
      shells_.add(view.patches[leaf], view.layout, {1 / slabs.width(grid_), 0, slabs.edges + 1}, slots);
      return;
    }
    const std::uint64_t* const kept = slots_of(leaf);
    slots += static_cast<std::size_t>(records_[leaf].first) * slot_size;
    const auto integers = static_cast<std::size_t>(records_[leaf].count) * slot_size;
    for (std::size_t i = 0; i < integers; ++i) slots[i] += kept[i];
  };
  sums.sum_leaves(view, grid_, {quantum_, largest_speed * quantum_}, {excess, momentum}, coarsest, add);
}

MassProfile MassProfiler::profile_of_sums() const {
  return {sums_.inside(0), growth_of(shells_.grid(), sums_.inside(1))};
}

std::vector<double> MassProfiler::excess(const StateView& view) const {
  ShellSums<2> sums;
  shells_.sum(view, 0, sums);
  return sums.inside(0);
}

MassProfile MassProfiler::profile(const StateView& view) {
  shells_.sum(view, 0, sums_);
  first_ = 0;
  steps_.resize(view.level_dx.size());
  for (std::size_t level = 0; level < steps_.size(); ++level) {
    const auto sums = sums_.sums_of(static_cast<int>(level));
    steps_[level].begin.assign(sums.begin(), sums.end());
  }
  return profile_of_sums();
}

MassProfile MassProfiler::profile(const StateView& view, const LevelTimes& times) {
  // Levels from first_ on have taken a step since the last call: some of them stand at its end, coarser ones
  // than times.first, and wait for finer ones.
  const int coarsest = std::min(first_, times.first);
  shells_.sum(view, coarsest, sums_);
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
  return profile_of_sums();
}

double gravity_strength(int dim, double scale_factor) {
  return (dim == 3 ? 1.5 : 3.0) * scale_factor / std::numbers::pi;
}

void fill_gravity(euler::Gravity& gravity, const ShellGrid& grid, const MassProfile& profile, double tau) {
  MEANDER_ASSERT(grid.count >= 1 && grid.count <= euler::Gravity::max_bins);
  gravity.radial = true;
  gravity.dim = grid.dim;
  gravity.bins = grid.count;
  for (std::size_t d = 0; d < 3; ++d) gravity.centre[d] = grid.centre[d];
  gravity.dr = grid.dr;
  gravity.strength = gravity_strength(grid.dim, scale_factor(tau));
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
