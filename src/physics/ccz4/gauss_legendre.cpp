// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/gauss_legendre.hpp"

#include <cmath>
#include <numbers>

namespace meander::ccz4 {

std::vector<LegendreNode> gauss_legendre(int count) {
  std::vector<LegendreNode> nodes;
  for (int i = 0; i < count; ++i) {
    double x = std::cos(std::numbers::pi * (i + 0.75) / (count + 0.5)), slope = 0;
    for (int round = 0; round < 10; ++round) {
      double p = 1, before = 0;
      for (int n = 1; n <= count; ++n) {
        const double next = ((2 * n - 1) * x * p - (n - 1) * before) / n;
        before = p;
        p = next;
      }
      slope = count * (x * p - before) / (x * x - 1);
      x -= p / slope;
    }
    nodes.push_back({x, 2 / ((1 - x * x) * slope * slope)});
  }
  return nodes;
}

}  // namespace meander::ccz4
