// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Upper bounds of the device's performance: concurrent copies of pinned memory in both directions, and
// kernels on resident data.

#include <optional>

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

// Kernel time per patch in seconds, for `batch` resident patches; nullopt if the solver has no kernel for the
// device. Throws OutOfMemory, DeviceError.
std::optional<double> kernel_seconds(gpu::Device& device, const solvers::Solver& solver,
                                     const solvers::PatchLayout& layout, int batch, const double* slot);

}  // namespace meander::bench
