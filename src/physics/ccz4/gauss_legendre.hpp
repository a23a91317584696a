// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Quadrature over the cosine of an angle.

#include <vector>

namespace meander::ccz4 {

struct LegendreNode {
  double cosine, weight;  // weights sum up to 2
};

// Gauss-Legendre nodes from the north pole to the south pole, by Newton's method: exact for polynomials up to
// degree 2 * count - 1.
std::vector<LegendreNode> gauss_legendre(int count);

}  // namespace meander::ccz4
