// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Boxes of volumes, and iteration over them row by row.

#include <algorithm>
#include <cstddef>

#include "base/vec.hpp"

namespace meander::solvers {

// A box of volumes by indices of the destination patch (interior 0 .. p-1, halo outside).
template <int D>
struct Box {
  Index<D> lower{}, extent{};

  std::size_t volumes() const {
    std::size_t n = 1;
    for (int a = 0; a < D; ++a) n *= static_cast<std::size_t>(extent[a]);
    return n;
  }
};

// Calls body(index) for the first volume of each row of the box along x, in storage order.
template <int D, class Body>
void for_rows(const Box<D>& box, const Body& body) {
  Index<D> i = box.lower;
  for (int k = 0; k < (D == 3 ? box.extent[D - 1] : 1); ++k) {
    if (D == 3) i[D - 1] = box.lower[D - 1] + k;
    for (i[1] = box.lower[1]; i[1] < box.lower[1] + box.extent[1]; ++i[1]) body(i);
  }
}

// Calls body(index) for all volumes of the box, in storage order.
template <int D, class Body>
void for_volumes(const Box<D>& box, const Body& body) {
  for_rows<D>(box, [&](Index<D> i) {
    for (int x = 0; x < box.extent[0]; ++x, ++i[0]) body(i);
  });
}

// The volumes of a patch, and its halo of one layer in a direction: -1, 0 or 1 along each axis.
template <int D>
Box<D> halo_box(int p, const Index<D>& offset) {
  Box<D> box;
  for (int a = 0; a < D; ++a) {
    box.lower[a] = offset[a] < 0 ? -1 : offset[a] > 0 ? p : 0;
    box.extent[a] = offset[a] == 0 ? p : 1;
  }
  return box;
}
template <int D>
Box<D> interior_box(int p) {
  return halo_box<D>(p, {});
}

// Extends a box, which may be empty, so that it contains another.
template <int D>
void include(Box<D>& box, const Box<D>& other) {
  if (box.volumes() == 0) {
    box = other;
    return;
  }
  for (std::size_t a = 0; a < D; ++a) {
    const int end = std::max(box.lower[a] + box.extent[a], other.lower[a] + other.extent[a]);
    box.lower[a] = std::min(box.lower[a], other.lower[a]);
    box.extent[a] = end - box.lower[a];
  }
}

constexpr int floor_third(int i) {
  return i >= 0 ? i / 3 : -((2 - i) / 3);
}
constexpr int ceil_third(int i) {
  return floor_third(i + 2);
}

}  // namespace meander::solvers
