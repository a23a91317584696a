// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Measurement of patch updates for one solver, one patch size and one working set.

#include <cstddef>
#include <functional>
#include <string>

#include "base/thread_team.hpp"
#include "solvers/solver.hpp"

namespace meander::bench {

struct Measurement {
  double median = 0, fastest = 0, slowest = 0;  // ns of CPU time per volume
  double bandwidth = 0;                         // GB/s of all threads, if each slot is read and written once
  std::size_t patches = 0;                      // per thread
  std::size_t bytes = 0;                        // of all slots of a thread
};

// Writes the state of one volume. `phase` increases from volume to volume; noise() is uniform in [-0.05,
// 0.05].
using State = std::function<void(double phase, const std::function<double()>& noise, double* q)>;
State gas(int dim);
State spacetime();

// Updates the same patches repeatedly, in `repeats` rounds of about `seconds` seconds each. Each thread has
// its own patches of `bytes` bytes in total, at least one. Successive sweeps perform successive stages of a
// step. The initial state is smooth with noise. It is restored between sweeps; the time for this is excluded.
Measurement measure(const solvers::Solver& solver, const State& state, int p, std::size_t bytes, int repeats,
                    double seconds, ThreadTeam& team);

}  // namespace meander::bench
