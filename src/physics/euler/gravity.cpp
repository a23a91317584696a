// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/euler/gravity.hpp"

#include <algorithm>
#include <cmath>

namespace meander::euler {

double largest_external(const FixedGravity& gravity, int dim, double dx) {
  const ExternalGravity& external = gravity.external;
  double square = 0;
  switch (external.kind) {
    case ExternalGravity::Kind::none:
      return 0;
    case ExternalGravity::Kind::fields:
      return external.largest;
    case ExternalGravity::Kind::uniform:
      for (int a = 0; a < dim; ++a) square += external.vector[a] * external.vector[a];
      return std::sqrt(square);
    case ExternalGravity::Kind::point:
      break;
  }
  // The volume of the domain whose centre is nearest to the mass.
  for (int a = 0; a < dim; ++a) {
    const double volumes = (gravity.upper[a] - gravity.lower[a]) / dx;
    const double at = (external.vector[a] - gravity.lower[a]) / dx;
    const double nearest = std::clamp(std::floor(at), 0.0, std::max(std::round(volumes) - 1, 0.0)) + 0.5;
    square += (nearest - at) * (nearest - at) * dx * dx;
  }
  // r / (r^2 + s^2)^(3/2) is largest at r = s / sqrt(2), r / (r^2 + s^2) at r = s.
  square = std::max(square, external.softening_squared / (dim == 3 ? 2 : 1));
  const double softened = square + external.softening_squared;
  return external.mass * std::sqrt(square) / (dim == 3 ? softened * std::sqrt(softened) : softened);
}

}  // namespace meander::euler
