// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Local time steps against global ones.

#include <string>
#include <vector>

#include "parallel/communicator.hpp"

namespace meander::bench {

struct LocalChoice {
  std::vector<std::string> schemes;
  std::vector<int> patch_sizes, levels;
  int dim = 3, threads = 1, repeats = 5;
};

// Measures the CPU time (all threads) for a unit of simulated time with global and with local steps on nests:
// of the 3^d leaves of each level, the middle one is refined. Prints the gain, the ideal gain, that in
// updates of leaves, and the CPU time per volume and its step. One rank.
void compare_local_steps(const LocalChoice& choice);

// Measures the wall time of local steps on these nests, on the root alone and on all ranks, in turn. Prints both,
// the speedup and the largest that the partition allows, and of all ranks the share of time in which a rank
// waits and the share of the time with messages under way in which it updates leaves. Collective.
void compare_local_ranks(const LocalChoice& choice, const parallel::Communicator& world);

}  // namespace meander::bench
