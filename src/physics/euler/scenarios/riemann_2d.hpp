// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Two-dimensional Riemann problems: configurations of Lax & Liu (1998, SIAM J. Sci. Comput. 19, 319), for
// gamma = 1.4. Neighbouring quadrants are separated by a single shock, rarefaction or contact.

#include <span>

#include "physics/euler/scenarios/gas_state.hpp"

namespace meander::euler {

struct RiemannConfiguration {
  int number = 3;        // as in the paper
  double end = 0.3;      // time of the paper's figures, on the unit square with the corner in the middle
  GasState quadrant[4];  // upper right, upper left, lower left, lower right
};

std::span<const RiemannConfiguration> riemann_configurations();

}  // namespace meander::euler
