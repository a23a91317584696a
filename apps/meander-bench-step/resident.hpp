// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Whole steps with the patches on a device, beside the same steps on the CPU.

#include <string>
#include <vector>

namespace meander::bench {

struct ResidentOptions {
  std::string device;  // "cuda", "host", or "null"
  std::vector<int> sizes;
  std::vector<std::string> schemes;  // see Case
  int dimensions = 3, threads = 1, repeats = 5;
  double volumes = 2e6;
};

// Prints a table: each scheme and patch size, uniform and adaptive; and the cost of a regrid. Throws InputError, Failure.
void compare_resident(const ResidentOptions& options);

}  // namespace meander::bench
