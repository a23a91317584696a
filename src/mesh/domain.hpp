// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The domain: a box of whole level-m cells (the base cells) inside the root cube, and its coordinates in
// space.

#include "mesh/peano_curve.hpp"

namespace meander::mesh {

// 3^exponent, 0 <= exponent <= 15: exact.
constexpr double power_of_3(int exponent) {
  constexpr double powers[] = {1,    3,     9,     27,     81,     243,     729,     2187,
                               6561, 19683, 59049, 177147, 531441, 1594323, 4782969, 14348907};
  return powers[exponent];
}

template <int D>
struct Domain {
  int base_level = 0;       // m
  Index<D> base_cells{};    // number of base cells along each axis, each 1 .. 3^m; the box starts at cell 0
  Point<D> lower{};         // the domain's lower corner, in the user's length unit
  double base_width = 1.0;  // width of a base cell (cells are cubes)
  Vec<bool, D> periodic{};

  double width(int level) const {
    const int depth = level - base_level;
    return depth >= 0 ? base_width / power_of_3(depth) : base_width * power_of_3(-depth);
  }
  // Number of level-`level` cells along an axis (level >= m).
  int cells(int level, int axis) const { return base_cells[axis] * ipow(3, level - base_level); }
  std::size_t number_of_base_cells() const {
    std::size_t product = 1;
    for (int n : base_cells) product *= static_cast<std::size_t>(n);
    return product;
  }

  // Coordinate of the lower face of the `index`-th level-`level` cell along an axis. The coordinate of a face
  // is bitwise identical for all levels.
  double face(int level, int axis, int index) const {
    const double finest = static_cast<double>(index) * power_of_3(Key<D>::max_level - level);
    return lower[axis] + finest * base_width / power_of_3(Key<D>::max_level - base_level);
  }
  Point<D> lower_corner(const Cell<D>& cell) const {
    Point<D> x{};
    for (int a = 0; a < D; ++a) x[a] = face(cell.level, a, cell.at[a]);
    return x;
  }

  // 0 <= m <= the deepest level, 1 <= base_cells <= 3^m, base_width > 0.
  bool is_valid() const {
    if (base_level < 0 || base_level > Key<D>::max_level || !(base_width > 0)) return false;
    for (int n : base_cells) {
      if (n < 1 || n > ipow(3, base_level)) return false;
    }
    return true;
  }
};

// Traversal of the domain's base cells in curve order: every walk through a tree begins here.

template <int D>
struct BaseCell {
  Key<D> key;
  Cursor<D> cursor;
};

namespace detail {
// Returns false if `visit` has returned false.
template <int D, class Visit>
bool visit_base_cells(const Domain<D>& domain, const BaseCell<D>& cell, const Visit& visit) {
  const int level = cell.key.level();
  if (level == domain.base_level) return visit(cell);
  const int scale = ipow(3, domain.base_level - level - 1);
  for (int digit = 0; digit < children<D>; ++digit) {
    const int position = cell.cursor.position(digit);
    const BaseCell<D> child{cell.key.child(digit), cell.cursor.child_at(position)};
    bool inside = true;
    for (int a = 0; a < D; ++a)
      inside = inside && Packed<D>::axis(child.cursor.at, a) * scale < domain.base_cells[a];
    if (inside && !visit_base_cells(domain, child, visit)) return false;
  }
  return true;
}
}  // namespace detail

// Calls visit(BaseCell) for the base cells in curve order until it returns false. Returns true if all were
// visited.
template <int D, class Visit>
bool visit_base_cells(const Domain<D>& domain, const Visit& visit) {
  return detail::visit_base_cells(domain, BaseCell<D>{}, visit);
}

}  // namespace meander::mesh
