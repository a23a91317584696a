// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Unknowns at points anywhere in the domain, 3D, on all ranks: interpolated with six nodes along each axis across the
// faces of patches, on one level for each point (point_samples.hpp).

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "simulation/diagnostics/point_samples.hpp"

namespace meander::simulation {

struct GatheredPoints {
  std::size_t unknowns = 0;
  std::vector<double> values;                      // [point * unknowns + n]; 0 outside the domain
  std::vector<std::array<double, 3>> derivatives;  // likewise, along each axis; empty unless requested
  std::vector<int> levels;                         // of the leaves that were read; -1 outside the domain

  bool is_inside(std::size_t point) const { return levels[point] >= 0; }
};

// Gathers from the state of a view. Valid as long as the view. Any number of gathers fill the halos of a leaf once.
class PointGather {
 public:
  // The view must outlive this object. Patches that live on a device are brought home.
  explicit PointGather(const StateView& view) : view_(view) {}

  enum class Derivatives { none, all };

  // Unknown unknowns[n] at each point. A point on a face has the mean of the values in the leaves of the finest level
  // that touch it. `points` and `unknowns` are the same on all ranks. Results are bitwise identical on all ranks, and
  // for any number of ranks and threads. Collective.
  GatheredPoints gather(std::span<const SamplePoint> points, std::span<const int> unknowns,
                        Derivatives derivatives);

 private:
  const StateView& view_;
  std::vector<char> filled_;  // leaves whose whole halos are filled
};

}  // namespace meander::simulation
