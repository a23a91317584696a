// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Timing of patch updates: one solver, one patch size, one working set.

#include <cstddef>
#include <functional>
#include <string>

#include "base/thread_team.hpp"
#include "solvers/solver.hpp"

namespace meander::bench {

struct Measurement {
  double median = 0, fastest = 0, slowest = 0;  // ns of processor time per volume
  double bandwidth = 0;                         // GB/s of all threads: the slots read once and written once
  std::size_t patches = 0;                      // a thread
  std::size_t bytes = 0;                        // of all slots of a thread
};

// Writes the state of one volume; phase grows from volume to volume, noise() is drawn from [-0.05, 0.05].
using State = std::function<void(double phase, const std::function<double()>& noise, double* q)>;
State gas(int dim);
State spacetime();

// Updates the same patches again and again, each thread its own `bytes` (at least one patch), in `repeats`
// rounds of about `seconds` each; the stages of a step take turns. The state is smooth with noise, restored
// between sweeps, outside the clock.
Measurement measure(const solvers::Solver& solver, const State& state, int p, std::size_t bytes, int repeats,
                    double seconds, ThreadTeam& team);

}  // namespace meander::bench
