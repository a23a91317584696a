// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/diagnostics/harmonics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "physics/ccz4/gauss_legendre.hpp"

namespace meander::ccz4 {
namespace {

using std::numbers::pi;

// -2Y_lm(theta, 0) for the least l of this m.
double first_harmonic(int m, double theta) {
  const int l = std::abs(m);
  if (l <= 2) {
    const double cosine = std::cos(theta), sine = std::sin(theta), side = m < 0 ? 1 - cosine : 1 + cosine;
    return l == 2   ? std::sqrt(5 / (64 * pi)) * side * side
           : l == 1 ? std::sqrt(5 / (16 * pi)) * sine * side
                    : std::sqrt(15 / (32 * pi)) * sine * sine;
  }
  // sqrt((2l + 1) / 4 pi) sqrt(binomial(2l, l + 2)) cos^(l + 2) sin^(l - 2) of theta / 2, for m = l with the
  // sign (-1)^l; for m = -l sine and cosine change places.
  double square = (2 * l + 1) / (4 * pi);
  for (int n = 1; n <= l - 2; ++n) square *= static_cast<double>(l + 2 + n) / n;
  const double more = m > 0 ? std::cos(theta / 2) : std::sin(theta / 2),
               less = m > 0 ? std::sin(theta / 2) : std::cos(theta / 2);
  const double size = std::sqrt(square) * std::pow(more, l + 2) * std::pow(less, l - 2);
  return m > 0 && l % 2 == 1 ? -size : size;
}

}  // namespace

std::complex<double> spin_weighted_harmonic(int l, int m, double theta, double phi) {
  const int s = 2;
  double value = first_harmonic(m, theta), before = 0;
  const double cosine = std::cos(theta);
  // The recursion holds for value / sqrt(2j + 1).
  const auto root = [&](int j) { return std::sqrt(static_cast<double>((j * j - m * m) * (j * j - s * s))); };
  for (int j = std::max(std::abs(m), s); j < l; ++j) {
    const double here = value / std::sqrt(2.0 * j + 1), lower = before / std::sqrt(2.0 * j - 1);
    const double next =
        ((2 * j + 1) * (j * (j + 1) * cosine - m * s) * here - (j + 1) * root(j) * lower) / (j * root(j + 1));
    before = value;
    value = next * std::sqrt(2.0 * j + 3);
  }
  return {value * std::cos(m * phi), value * std::sin(m * phi)};
}

std::vector<SpherePoint> sphere_points(int latitudes) {
  const int longitudes = 2 * latitudes;
  std::vector<SpherePoint> points;
  for (const LegendreNode& node : gauss_legendre(latitudes)) {
    for (int j = 0; j < longitudes; ++j) {
      SpherePoint& point = points.emplace_back();
      point.theta = std::acos(node.cosine);
      point.phi = 2 * pi * (j + 0.5) / longitudes;
      point.weight = node.weight * 2 * pi / longitudes;
      const double sine = std::sin(point.theta);
      point.direction = {sine * std::cos(point.phi), sine * std::sin(point.phi), node.cosine};
    }
  }
  return points;
}

}  // namespace meander::ccz4
