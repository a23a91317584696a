// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Noise on a fixed grid: one random number per cell, from a hash of the cell and a seed. It depends on the
// position only, not on mesh, threads or order.

#include <array>
#include <cstdint>

namespace meander::simulation {

struct CellNoise {
  int dim = 3;
  std::array<double, 3> lower{};  // corner of cell 0
  double width = 0;               // of a cell
  std::uint64_t seed = 0;

  // Uniform in [-1, 1).
  double in_cell(const std::array<std::int64_t, 3>& cell) const;
  // Mean over the cube of width dx about `centre`.
  double mean(const double* centre, double dx) const;
};

}  // namespace meander::simulation
