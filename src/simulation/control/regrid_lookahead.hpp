// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The time of the next regrid, and where tracked points will be then, for criteria that refine regions. With
// local time steps the mesh stays for many steps of the finest level, in which a region may move by many
// volumes.

#include <algorithm>
#include <span>
#include <vector>

#include "simulation/state_view.hpp"

namespace meander::simulation {

class RegridLookahead {
 public:
  // After a step of length dt: the tracked points before and after it. longest: the length that the step
  // would have had without a plot time or the end of the run.
  void add_step(std::span<const Point<3>> before, std::span<const Point<3>> after, double dt,
                double longest) {
    longest_ = longest;
    velocities_.assign(before.size(), {});
    for (std::size_t n = 0; n < before.size(); ++n) {
      for (std::size_t a = 0; a < 3; ++a) velocities_[n][a] = (after[n][a] - before[n][a]) / dt;
    }
  }

  // `now` after `steps` more steps like the last one: same patches, later time, and points that have kept
  // their velocities. Before the first step: `now`. The end of the run has no influence, because a restart may
  // change it. Valid until the next call.
  StateView view(const StateView& now, int steps) {
    StateView later = now;
    later.t = now.t + steps * longest_;
    points_.assign(now.tracked_points.begin(), now.tracked_points.end());
    for (std::size_t n = 0; n < std::min(points_.size(), velocities_.size()); ++n) {
      for (std::size_t a = 0; a < 3; ++a) points_[n][a] += (later.t - now.t) * velocities_[n][a];
    }
    later.tracked_points = points_;
    return later;
  }

 private:
  double longest_ = 0;
  std::vector<Point<3>> velocities_, points_;
};

}  // namespace meander::simulation
