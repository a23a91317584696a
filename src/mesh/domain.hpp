// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The domain: a box of whole level-m cells (the base cells) inside the root cube, and where it lies in space.

#include "mesh/peano_curve.hpp"

namespace meander::mesh {

template <int D>
struct Domain {
  int base_level = 0;       // m
  Index<D> base_cells{};    // number of base cells along each axis, each 1 .. 3^m; the box starts at cell 0
  Point<D> lower{};         // the domain's lower corner, in the user's length unit
  double base_width = 1.0;  // width of a base cell (cells are cubes)
  Vec<bool, D> periodic{};

  double width(int level) const {
    const int depth = level - base_level;
    return depth >= 0 ? base_width / ipow(3.0, depth) : base_width * ipow(3.0, -depth);
  }
  // Number of level-`level` cells along an axis (level >= m).
  int cells(int level, int axis) const { return base_cells[axis] * ipow(3, level - base_level); }
  Point<D> lower_corner(const Cell<D>& cell) const {
    Point<D> x{};
    for (int a = 0; a < D; ++a) x[a] = lower[a] + cell.at[a] * width(cell.level);
    return x;
  }
};

}  // namespace meander::mesh
