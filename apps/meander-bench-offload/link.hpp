// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the device could do at best: copies of pinned memory both ways at once, and kernels on data that stay.

#include <optional>

#include "gpu/device.hpp"
#include "solvers/solver.hpp"

namespace meander::bench {

// Bytes a second, measured with both directions busy.
struct Link {
  double in = 0, out = 0;
};
Link measure_link(gpu::Device& device);

// Seconds that the link takes at least for a patch: halos go in, the interior comes out.
double link_seconds(const Link& link, const solvers::PatchLayout& layout);

// Seconds a patch of kernels on `batch` resident patches; none if the solver has none for the device. Throws
// OutOfMemory, DeviceError.
std::optional<double> kernel_seconds(gpu::Device& device, const solvers::Solver& solver,
                                     const solvers::PatchLayout& layout, int batch, const double* slot);

}  // namespace meander::bench
