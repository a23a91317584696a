// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/scenario_tools/volume_means.hpp"

#include <algorithm>
#include <cmath>

namespace meander::simulation {

double fraction_below(double centre, double dx, double position) {
  return std::clamp((position - centre) / dx + 0.5, 0.0, 1.0);
}

namespace {

// Offset o: the cube's centre relative to the ball's.
double fraction_in_ball(int dim, const double* o, double dx, double radius, int depth) {
  double nearest2 = 0, farthest2 = 0, middle2 = 0;
  for (int d = 0; d < dim; ++d) {
    const double x = std::abs(o[d]);
    const double near = std::max(0.0, x - 0.5 * dx), far = x + 0.5 * dx;
    nearest2 += near * near;
    farthest2 += far * far;
    middle2 += x * x;
  }
  const double radius2 = radius * radius;
  if (nearest2 >= radius2) return 0;
  if (farthest2 <= radius2) return 1;
  if (depth == 0) {
    // The sphere is replaced by a plane through the cube, at the distance for which the sum over all cubes is
    // the ball's volume.
    const double distance = std::sqrt(middle2 + (dim - 1) * dx * dx / 12);
    return std::clamp((radius - distance) / dx + 0.5, 0.0, 1.0);
  }
  double sum = 0;
  for (int child = 0; child < (1 << dim); ++child) {
    double c[3] = {0, 0, 0};
    for (int d = 0; d < dim; ++d) c[d] = o[d] + ((child >> d & 1) ? 0.25 : -0.25) * dx;
    sum += fraction_in_ball(dim, c, 0.5 * dx, radius, depth - 1);
  }
  return sum / (1 << dim);
}

}  // namespace

double fraction_in_ball(int dim, const double* centre, double dx, const double* ball_centre, double radius) {
  double o[3] = {0, 0, 0};
  for (int d = 0; d < dim; ++d) o[d] = centre[d] - ball_centre[d];
  // The number of samples across the ball is about the same for any width of the volumes.
  const double samples = dim == 3 ? 64 : 256;
  int depth = dim == 3 ? 3 : 5;
  while (dx * samples > radius * (1 << depth) && depth < 16) ++depth;
  return fraction_in_ball(dim, o, dx, radius, depth);
}

double gaussian_share_1d(double lower, double upper, double peak, double radius) {
  const double a = (lower - peak) / radius, b = (upper - peak) / radius;
  // Differences of erf lose all digits in the tails; those of erfc do not.
  if (a >= 0) return 0.5 * (std::erfc(a) - std::erfc(b));
  if (b <= 0) return 0.5 * (std::erfc(-b) - std::erfc(-a));
  return 0.5 * (std::erf(b) - std::erf(a));
}

double gaussian_share(int dim, const double* centre, double dx, const double* peak, double radius) {
  double share = 1;
  for (int d = 0; d < dim; ++d)
    share *= gaussian_share_1d(centre[d] - 0.5 * dx, centre[d] + 0.5 * dx, peak[d], radius);
  return share;
}

namespace {

// The finaliser of SplitMix64 (Steele, Lea & Flood 2014): every bit of the input reaches every bit of the
// result.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

double CellNoise::in_cell(const std::array<std::int64_t, 3>& cell) const {
  std::uint64_t state = mixed(seed + 0x9e3779b97f4a7c15u);
  for (std::size_t d = 0; d < static_cast<std::size_t>(dim); ++d)
    state = mixed(state + 0x9e3779b97f4a7c15u * (static_cast<std::uint64_t>(cell[d]) + 1));
  return static_cast<double>(state >> 11) * 0x1p-52 - 1.0;
}

double CellNoise::mean(const double* centre, double dx) const {
  std::array<std::int64_t, 3> first{}, last{}, cell{};
  std::array<double, 3> begin{}, end{};
  for (std::size_t d = 0; d < static_cast<std::size_t>(dim); ++d) {
    begin[d] = (centre[d] - 0.5 * dx - lower[d]) / width;
    end[d] = (centre[d] + 0.5 * dx - lower[d]) / width;
    first[d] = static_cast<std::int64_t>(std::floor(begin[d]));
    last[d] = static_cast<std::int64_t>(std::ceil(end[d]));
  }
  if (dim == 2) last[2] = 1;
  double sum = 0, weight = 0;
  for (cell[2] = first[2]; cell[2] < last[2]; ++cell[2]) {
    for (cell[1] = first[1]; cell[1] < last[1]; ++cell[1]) {
      for (cell[0] = first[0]; cell[0] < last[0]; ++cell[0]) {
        double overlap = 1;
        for (std::size_t d = 0; d < static_cast<std::size_t>(dim); ++d) {
          const auto at = static_cast<double>(cell[d]);
          overlap *= std::max(0.0, std::min(end[d], at + 1) - std::max(begin[d], at));
        }
        sum += overlap * in_cell(cell);
        weight += overlap;
      }
    }
  }
  return sum / weight;
}

}  // namespace meander::simulation
