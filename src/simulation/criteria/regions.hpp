// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The position of a leaf, for criteria that refine regions.

#include <algorithm>
#include <cmath>

#include "simulation/refinement_criterion.hpp"

namespace meander::simulation {

// The smallest and largest distance between a point and a leaf. centre: indexable, one number for each axis.
struct Distances {
  double nearest = 0, farthest = 0;
};
template <class Centre>
Distances distances(const LeafView& leaf, const Centre& centre) {
  Distances squares;
  const double width = leaf.width();
  for (int a = 0; a < leaf.layout.dim; ++a) {
    const double low = leaf.patch.lower[a] - centre[static_cast<std::size_t>(a)], high = low + width;
    const double near = low > 0 ? low : high < 0 ? high : 0.0;
    const double far = std::max(std::abs(low), std::abs(high));
    squares.nearest += near * near;
    squares.farthest += far * far;
  }
  return {std::sqrt(squares.nearest), std::sqrt(squares.farthest)};
}

}  // namespace meander::simulation
