// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/diagnostics/puncture_tracker.hpp"

#include <fmt/format.h>

#include <bit>

#include "physics/ccz4/diagnostics/saved_counters.hpp"
#include "physics/ccz4/unknowns.hpp"
#include "simulation/config/config.hpp"
#include "simulation/diagnostics/point_gather.hpp"
#include "simulation/scenario.hpp"

namespace meander::ccz4 {

using namespace simulation;
namespace {

std::string prefix_of_puncture(std::size_t puncture) {
  return fmt::format("puncture-{}-", puncture + 1);
}

}  // namespace

std::vector<Point<3>> PunctureTracker::velocities(const StateView& view, std::span<const Point<3>> points) {
  constexpr int beta = ccz4::at::beta, shift[] = {beta, beta + 1, beta + 2};
  // On a face, where several leaves hold the point, the mean of their values keeps a symmetric state symmetric.
  const GatheredPoints found = PointGather(view).gather(points, PointQuery(shift));
  std::vector<Point<3>> velocities(points.size());
  for (std::size_t n = 0; n < points.size(); ++n) {
    for (std::size_t a = 0; a < 3; ++a)
      velocities[n][a] = 0.0 - found.values[3 * n + a];  // 0 outside the domain
  }
  return velocities;
}

void PunctureTracker::begin_step(const StateView& view) {
  if (!positions_.empty()) before_ = velocities(view, positions_);
}

void PunctureTracker::end_step(const StateView& view, double dt) {
  if (positions_.empty()) return;
  std::vector<Point<3>> ahead = positions_;
  for (std::size_t n = 0; n < ahead.size(); ++n) {
    for (std::size_t a = 0; a < 3; ++a) ahead[n][a] += dt * before_[n][a];
  }
  const std::vector<Point<3>> after = velocities(view, ahead);
  for (std::size_t n = 0; n < ahead.size(); ++n) {
    for (std::size_t a = 0; a < 3; ++a) positions_[n][a] += 0.5 * dt * (before_[n][a] + after[n][a]);
  }
}

void PunctureTracker::save(io::CheckpointState& state) const {
  for (std::size_t n = 0; n < positions_.size(); ++n) {
    for (std::size_t a = 0; a < 3; ++a)
      state.counters.emplace_back(prefix_of_puncture(n) + coordinate_name(a),
                                  std::bit_cast<std::int64_t>(positions_[n][a]));
  }
}

void PunctureTracker::resume(const io::CheckpointState& state) {
  for (std::size_t n = 0; n < positions_.size(); ++n)
    positions_[n] = SavedCounters(state, prefix_of_puncture(n)).point("", lower_, upper_);
}

void PunctureTracker::set_up(const io::KeyTable&, const Config& config) {
  positions_ = config.scenario->tracked_points();
  before_.resize(positions_.size());
  const Mirrors whole = config.mirrors();
  for (std::size_t a = 0; a < 3; ++a) {
    // A puncture that leaves the domain stops after a step, which is shorter than a base cell.
    const double cell = (config.domain.upper[a] - config.domain.lower[a]) / config.domain.cells[a];
    lower_[a] = whole.lower()[a] - cell;
    upper_[a] = whole.upper()[a] + cell;
  }
}

std::unique_ptr<Diagnostic> PunctureTracker::start() const {
  return std::make_unique<PunctureTracker>(*this);
}

std::vector<Measure> PunctureTracker::measure(const StateView&) const {
  std::vector<Measure> measures;
  for (std::size_t n = 0; n < positions_.size(); ++n) {
    for (std::size_t a = 0; a < 3; ++a)
      measures.push_back(
          {fmt::format("puncture_{}_{}", n + 1, coordinate_name(a)), "length", positions_[n][a]});
  }
  return measures;
}

DiagnosticEntry puncture_tracker_entry() {
  return {[] { return std::make_unique<PunctureTracker>(); }};
}

}  // namespace meander::ccz4
