// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/puncture_tracker.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>

#include "simulation/point_samples.hpp"
#include "solvers/ccz4/unknowns.hpp"

namespace meander::simulation {
namespace {

constexpr const char* axes = "xyz";

// What one leaf says of one puncture.
struct Sample {
  std::int64_t puncture = 0;
  double shift[3] = {0, 0, 0};
};

std::string counter_name(std::size_t puncture, std::size_t axis) {
  return fmt::format("puncture-{}-{}", puncture + 1, axes[axis]);
}

}  // namespace

std::vector<PunctureTracker::Point> PunctureTracker::velocities(const StateView& view,
                                                                std::span<const Point> points) {
  constexpr int beta = solvers::ccz4::at::beta, shift[] = {beta, beta + 1, beta + 2};
  std::vector<Sample> own;
  for (const HeldPoint& held : hold_points(view, points)) {
    Sample& sample = own.emplace_back();
    sample.puncture = static_cast<std::int64_t>(held.point);
    gather(held.stencil, view.patches[held.leaf], view.layout, shift, sample.shift);
  }
  // Along the curve, whatever the ranks. On a face, where several leaves know the point, the mean of what
  // they say keeps a symmetric state symmetric.
  const std::vector<Sample> all = view.communicator.all_gather(std::span<const Sample>(own));
  std::vector<Point> sum(points.size(), Point{});
  std::vector<double> count(points.size(), 0.0);
  for (const Sample& sample : all) {
    const auto n = static_cast<std::size_t>(sample.puncture);
    count[n] += 1;
    for (std::size_t a = 0; a < 3; ++a) sum[n][a] -= sample.shift[a];
  }
  for (std::size_t n = 0; n < points.size(); ++n) {
    for (double& component : sum[n]) component = count[n] > 0 ? component / count[n] : 0.0;
  }
  return sum;
}

void PunctureTracker::begin_step(const StateView& view) {
  if (!positions_.empty()) before_ = velocities(view, positions_);
}

void PunctureTracker::end_step(const StateView& view, double dt) {
  if (positions_.empty()) return;
  std::vector<Point> ahead = positions_;
  for (std::size_t n = 0; n < ahead.size(); ++n) {
    for (std::size_t a = 0; a < 3; ++a) ahead[n][a] += dt * before_[n][a];
  }
  const std::vector<Point> after = velocities(view, ahead);
  for (std::size_t n = 0; n < ahead.size(); ++n) {
    for (std::size_t a = 0; a < 3; ++a) positions_[n][a] += 0.5 * dt * (before_[n][a] + after[n][a]);
  }
}

void PunctureTracker::save(io::CheckpointState& state) const {
  for (std::size_t n = 0; n < positions_.size(); ++n) {
    for (std::size_t a = 0; a < 3; ++a)
      state.counters.emplace_back(counter_name(n, a), std::bit_cast<std::int64_t>(positions_[n][a]));
  }
}

void PunctureTracker::resume(const io::CheckpointState& state) {
  for (const auto& [name, value] : state.counters) {
    for (std::size_t n = 0; n < positions_.size(); ++n) {
      for (std::size_t a = 0; a < 3; ++a) {
        if (name == counter_name(n, a)) positions_[n][a] = std::bit_cast<double>(value);
      }
    }
  }
}

std::vector<Measure> puncture_measures(const StateView& view) {
  std::vector<Measure> measures;
  for (std::size_t n = 0; n < view.punctures.size(); ++n) {
    for (std::size_t a = 0; a < 3; ++a)
      measures.push_back({fmt::format("puncture_{}_{}", n + 1, axes[a]), "length", view.punctures[n][a]});
  }
  return measures;
}

}  // namespace meander::simulation
