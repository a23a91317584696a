// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/scenario_tools/cell_noise.hpp"

#include <algorithm>
#include <cmath>

namespace meander::simulation {

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
