// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Local time steps against global ones.

#include <string>
#include <vector>

namespace meander::bench {

struct LocalChoice {
  std::vector<std::string> schemes;
  std::vector<int> patch_sizes, levels;
  int dim = 3, threads = 1, repeats = 5;
};

// Measures the CPU time (all threads) for a unit of simulated time with global and with local steps on nests:
// of the 3^d leaves of each level, the middle one is refined. Prints the gain and the ideal gain, that in
// updates of leaves. One rank.
void compare_local_steps(const LocalChoice& choice);

}  // namespace meander::bench
