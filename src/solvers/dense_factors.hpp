// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The sum of dense output (dense_output.hpp) for one unknown of one volume. Usable in device code.

#include "solvers/math.hpp"

namespace meander::solvers {

// Y = u + sum of rates, by the figures that stage blocks hold after the step, and those that were kept.
struct DenseFactors {
  double of_first = 0, of_second = 0, of_third = 0, of_change = 0;

  // u, k_1, k_1 + 2 k_2, k_1 + 2 k_2 + 2 k_3, and the state after the step.
  MEANDER_TERM double value(double start, double first, double second, double third, double end) const {
    return start + (of_first * first + of_second * second + of_third * third + of_change * (end - start));
  }
};

}  // namespace meander::solvers
