// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Unknowns and their derivatives at points anywhere in the domain, 3D: interpolated with six nodes along each axis across
// the faces of patches (point_samples.hpp), where the patches live: on the host, or by one kernel on a device
// (solvers/gather.hpp), to the same bits. Nothing is brought home.

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "simulation/diagnostics/point_samples.hpp"

namespace meander::simulation {

// A point in the closed patch of a leaf of this rank.
struct HeldPoint {
  std::size_t leaf = 0, point = 0;
  PointStencil stencil;
};

// The samples of this rank.
struct HeldSamples {
  // All leaves that hold any of the points, in curve order, and the points of each in the given order. A point on a face
  // is held by all leaves that touch it, possibly of several ranks.
  std::vector<HeldPoint> points;
  std::size_t size = 0;        // of a sample (PointQuery)
  std::vector<double> values;  // [held point][size]

  std::span<const double> of(std::size_t held) const { return std::span(values).subspan(held * size, size); }
};

// On all ranks.
struct GatheredPoints {
  std::size_t unknowns = 0, slopes = 0;  // of the query
  std::vector<double> values;            // [point * unknowns + n]; 0 outside the domain
  std::vector<std::array<double, 3>>
      derivatives;          // [point * slopes + n], along each axis; 0 outside the domain
  std::vector<int> levels;  // of the leaves that were read; -1 outside the domain

  bool is_inside(std::size_t point) const { return levels[point] >= 0; }
};

// Gathers from the state of a view. Valid as long as the view. Any number of gathers fill the halos of a leaf once, and
// only of leaves whose stencils read them.
class PointGather {
 public:
  // The view must outlive this object.
  explicit PointGather(const StateView& view) : view_(view), filled_(view.patches.size(), 0) {}

  // `points` and `query` are the same on all ranks. Results are bitwise identical for any number of ranks and threads, and
  // on devices. Throw DeviceError and gpu::OutOfMemory (several ranks: parallel::AgreedFailure) if patches live on a
  // device. Collective.

  // On the rank of each leaf that holds a point.
  HeldSamples gather_own(std::span<const SamplePoint> points, const PointQuery& query);
  // On all ranks. A point on a face has the mean of the values in the leaves of the finest level that touch it.
  GatheredPoints gather(std::span<const SamplePoint> points, const PointQuery& query);

 private:
  std::vector<HeldPoint> hold(std::span<const SamplePoint> points) const;
  void fill_halos(std::span<const HeldPoint> held);
  bool gather_on_device(HeldSamples& samples, const PointQuery& query) const;

  const StateView& view_;
  std::vector<char> filled_;  // leaves whose whole halos are filled
};

}  // namespace meander::simulation
