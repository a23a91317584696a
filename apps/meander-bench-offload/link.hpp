// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Upper bound of transfers: concurrent copies of pinned memory in both directions.

#include "gpu/device.hpp"
#include "solvers/solver.hpp"

namespace meander::bench {

// Bandwidth in bytes per second, measured with concurrent copies in both directions.
struct Link {
  double in = 0, out = 0;
};
Link measure_link(gpu::Device& device);

// Lower bound of the transfer time per patch, in seconds: the slot with halo in, the interior out.
double link_seconds(const Link& link, const solvers::PatchLayout& layout);

}  // namespace meander::bench
