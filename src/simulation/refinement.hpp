// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Refinement of the mesh.

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "mesh/patch_mesh.hpp"
#include "simulation/refinement_criterion.hpp"
#include "simulation/state_view.hpp"

namespace meander::simulation {

// The times of the steps until the next regrid, and where tracked points will be then, for criteria that refine
// regions. With local time steps the mesh stays for many steps of the finest level, in which a region may move by many
// volumes, and by more than its width.
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

  // `now` after 1, 2, ... `steps` more steps like the last one, or after most_views equal parts of that time: same
  // patches, later times, and points that have kept their velocities. None before the first step. The end of the run
  // has no influence, because a restart may change it. Valid until the next call.
  std::vector<StateView> views(const StateView& now, int steps) {
    const int count = longest_ > 0 ? std::min(steps, most_views) : 0;
    std::vector<StateView> later(static_cast<std::size_t>(count), now);
    points_.resize(later.size());
    for (int i = 0; i < count; ++i) {
      StateView& view = later[static_cast<std::size_t>(i)];
      view.t = now.t + double{1} * steps * (i + 1) / count * longest_;
      std::vector<Point<3>>& points = points_[static_cast<std::size_t>(i)];
      points.assign(now.tracked_points.begin(), now.tracked_points.end());
      for (std::size_t n = 0; n < std::min(points.size(), velocities_.size()); ++n) {
        for (std::size_t a = 0; a < 3; ++a) points[n][a] += (view.t - now.t) * velocities_[n][a];
      }
      view.tracked_points = points;
    }
    return later;
  }

 private:
  static constexpr int most_views = 16;  // a bound of time and memory for intervals of any length

  double longest_ = 0;
  std::vector<Point<3>> velocities_;
  std::vector<std::vector<Point<3>>> points_;  // by view
};

// The combined criteria of the input file, and a buffer around the leaves that they refine.
template <int D>
class Refinement {
 public:
  using Criteria = std::vector<std::shared_ptr<const RefinementCriterion>>;

  // buffer: layers of leaves around the refined ones.
  Refinement(int min_level, int buffer, Criteria criteria)
      : min_level_(min_level), buffer_(buffer), criteria_(std::move(criteria)) {}

  // The flag of each leaf of this rank, independent of the number of ranks. A leaf is refined if any
  // criterion requires it, or if it lies within `buffer` leaves of a refined leaf and is coarser; it is
  // coarsened if all criteria allow it. Reads interiors and face halos of the view, which must be full.
  // `later`: times and tracked points as expected until the next regrid. Criteria that do not read the
  // state flag a leaf for all times. Collective.
  std::vector<mesh::Adapt> flags(const mesh::PatchMesh<D>& mesh, const StateView& state,
                                 std::span<const StateView> later) const;

  bool is_static() const { return criteria_.empty(); }
  // Whether some criterion can require a level above the lowest one.
  bool can_refine() const {
    return std::ranges::any_of(criteria_, [this](const auto& of) { return of->finest_level() > min_level_; });
  }

 private:
  // The measures of all leaves by criterion, as far as devices can compute them; the others are empty.
  using Measures = std::vector<std::vector<double>>;
  Measures measure(const StateView& state) const;
  // The level a leaf should have.
  int wanted_level(const StateView& state, std::span<const StateView> later, const Measures& measures,
                   std::size_t leaf) const;

  int min_level_, buffer_;
  Criteria criteria_;
};

}  // namespace meander::simulation
