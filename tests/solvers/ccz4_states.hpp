// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Random states of CCZ4 that violate all constraints except det g~ = 1 and tr A~ = 0.

#include <random>

#include "physics/ccz4/terms.hpp"

namespace meander::ccz4::test {

// Unknowns are of order one, g~_ij is positive definite, lapse and phi are in [0.5, 1.5].
inline void random_state(std::mt19937& engine, double* q) {
  std::uniform_real_distribution<double> draw(-1, 1);
  const Fields<double> x{q};
  for (int n = 0; n < unknowns; ++n) q[n] = draw(engine);
  x.a() = 1 + 0.5 * draw(engine);
  x.phi() = 1 + 0.5 * draw(engine);
  do {
    for (int i = 0; i < 3; ++i) {
      for (int j = i; j < 3; ++j) x.g(i, j) = (i == j ? 1.0 : 0.0) + 0.25 * draw(engine);
    }
  } while (!Terms{}.admissible(q));
  double enforced[unknowns];
  std::copy(q, q + unknowns, enforced);
  Terms{}.enforce(enforced);
  std::copy(enforced, enforced + at::Theta, q);  // the traces of D_kij are not changed
}

}  // namespace meander::ccz4::test
