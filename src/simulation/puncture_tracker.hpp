// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where the punctures of black holes are: they move with the shift, dx/dt = -beta(x) (Campanelli et al. 2006,
// Phys. Rev. Lett. 96, 111101), integrated along with the state by Heun's method, which is of second order.
// The shift is interpolated at sixth order, across the faces of patches (see point_samples.hpp).

#include <array>
#include <span>
#include <vector>

#include "io/checkpoint_file.hpp"
#include "simulation/scenario.hpp"

namespace meander::simulation {

class PunctureTracker {
 public:
  using Point = std::array<double, 3>;

  PunctureTracker() = default;
  // At the start time.
  explicit PunctureTracker(std::vector<Point> positions)
      : positions_(std::move(positions)), before_(positions_.size()) {}

  std::span<const Point> positions() const { return positions_; }

  // Before and after the state goes from t to t + dt. The same bits for any number of ranks and threads. A
  // puncture that has left the domain stays where it left it. Collective.
  void begin_step(const StateView& view);
  void end_step(const StateView& view, double dt);

  // Through the counters of a checkpoint, to the bit.
  void save(io::CheckpointState& state) const;
  void resume(const io::CheckpointState& state);

 private:
  // -beta at each of the points; 0 outside the domain. Collective.
  static std::vector<Point> velocities(const StateView& view, std::span<const Point> points);

  std::vector<Point> positions_;
  std::vector<Point> before_;  // velocities at the beginning of the step
};

// Columns "puncture_1_x" ... of history.csv.
std::vector<Measure> puncture_measures(const StateView& view);

}  // namespace meander::simulation
