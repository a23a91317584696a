// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The meshes that are measured.

#include <string>

namespace meander::bench {

struct Case {
  std::string scheme;  // of Euler; ccz4-SCHEME: of CCZ4
  int patch_size;
  bool adaptive;
};

// Input for `copies` identical cubes in a row, each of about `volumes` volumes.
std::string input_for(const Case& c, int dim, double volumes, int copies = 1);

}  // namespace meander::bench
