// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The one-dimensional interpolation of point values at a resolution jump: weights, and the order of the axes
// in a tensor product. Usable in device code.

#include <array>
#include <cstddef>

#include "solvers/math.hpp"

namespace meander::solvers {

// Lagrange weights of the centres -(R - 1) .. R for evaluation at 1/3.
template <int R>
constexpr std::array<double, 2 * R> weights_at_a_third() {
  std::array<double, 2 * R> weights{};
  for (int m = 0; m < 2 * R; ++m) {
    double weight = 1;
    for (int n = 0; n < 2 * R; ++n) {
      if (n != m) weight *= (1.0 / 3.0 + R - 1 - n) / (m - n);
    }
    weights[static_cast<std::size_t>(m)] = weight;
  }
  return weights;
}
template <int R>
MEANDER_TERM double weight_at_a_third(int node) {
  constexpr std::array<double, 2 * R> weights = weights_at_a_third<R>();
  return weights[static_cast<std::size_t>(node)];
}

// The axes of a box of fine volumes in the order of the sweeps. The longer of the first two axes is last, and
// the shorter of the others first: normal to the jump, it leaves least work for the others.
template <int D, class Extent>
MEANDER_TERM void interpolation_order(const Extent& extent, int* order) {
  const int row = extent[0] < extent[1] ? 1 : 0;
  int next = 0;
  for (int a = D - 1; a >= 0; --a) {
    if (a != row) order[next++] = a;
  }
  order[D - 1] = row;
  if (D == 3 && extent[static_cast<unsigned>(order[1])] < extent[static_cast<unsigned>(order[0])]) {
    const int first = order[0];
    order[0] = order[1];
    order[1] = first;
  }
}

}  // namespace meander::solvers
