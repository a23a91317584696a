// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// CCZ4 batches of random states, for tests of device kernels.

#include <memory>

#include "physics/ccz4/solver.hpp"
#include "tests/solvers/block_batch.hpp"
#include "tests/solvers/ccz4_states.hpp"

namespace meander::solvers::test {

// Parameters with all terms on, or with the simplest gauge.
inline std::unique_ptr<Solver> make_ccz4(ccz4::Scheme scheme, bool simple) {
  ccz4::Parameters parameters;
  parameters.scheme = scheme;
  parameters.dissipation = 0.2;
  if (simple) {
    parameters.slicing = ccz4::Slicing::harmonic;
    parameters.evolves_shift = false;
  } else {
    parameters.ordering = 0.3;
    parameters.eta_radius = 0.4;
    parameters.ordering_radius = 0.2;
    parameters.k1_radius = 0.3;
    parameters.lapse_floor = 0.6;  // applies to some volumes
  }
  return ccz4::make_solver(parameters);
}

inline Batch random_spacetimes(const Solver& solver, int p, int count) {
  return {solver, p, count, [](Patch& patch, unsigned seed) {
            std::mt19937 engine(seed);
            for_volumes(patch.layout, patch.layout.h, [&](int i, int j, int k) {
              if (axes_outside(patch.layout, i, j, k) > 1) return;
              double q[ccz4::unknowns];
              ccz4::test::random_state(engine, q);
              const double stretch = seed == 1 && engine() % 7 == 0 ? 1.1 : 1.0;  // then det g~ strays
              for (int n = 0; n < 6; ++n) q[n] *= stretch;
              for (int n = 0; n < ccz4::unknowns; ++n) patch.at(n, i, j, k) = q[n];
            });
          }};
}

}  // namespace meander::solvers::test
