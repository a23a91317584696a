// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The positions of punctures. They move with the shift, dx/dt = -beta(x) (Campanelli et al. 2006, Phys. Rev.
// Lett. 96, 111101), integrated with the state by Heun's method, which is of second order. The shift is
// interpolated at sixth order, across the faces of patches (point_gather.hpp).

#include <limits>
#include <span>
#include <vector>

#include "simulation/diagnostic.hpp"

namespace meander::ccz4 {

class PunctureTracker final : public simulation::Diagnostic {
 public:
  const char* name() const override { return "punctures"; }
  PunctureTracker() = default;
  // The positions at the start time.
  explicit PunctureTracker(std::vector<Point<3>> positions)
      : positions_(std::move(positions)), before_(positions_.size()) {}

  std::span<const Point<3>> positions() const { return positions_; }

  // From the scenario's tracked points.
  void set_up(const io::KeyTable& keys, const simulation::Config& config) override;
  std::unique_ptr<simulation::Diagnostic> start() const override;
  std::span<const Point<3>> tracked_points() const override { return positions_; }

  // Bitwise identical for any number of ranks and threads. A puncture that leaves the domain stays where it
  // left. Collective.
  void begin_step(const simulation::StateView& view) override;
  void end_step(const simulation::StateView& view, double dt) override;

  // "puncture_1_x", ...
  std::vector<simulation::Measure> measure(const simulation::StateView& view) const override;

  // Bitwise. Throws parallel::AgreedInputError, on all ranks, if a counter of a position is missing or is no place that a
  // puncture can reach.
  void save(io::CheckpointState& state) const override;
  void resume(const io::CheckpointState& state) override;

 private:
  // -beta at each of the points; 0 outside the domain. Collective.
  static std::vector<Point<3>> velocities(const simulation::StateView& view,
                                          std::span<const Point<3>> points);

  static constexpr double far = std::numeric_limits<double>::max();
  Point<3> lower_ = {-far, -far, -far}, upper_ = {far, far, far};  // of positions in a checkpoint
  std::vector<Point<3>> positions_;
  std::vector<Point<3>> before_;  // velocities at the beginning of the step
};

simulation::DiagnosticEntry puncture_tracker_entry();

}  // namespace meander::ccz4
