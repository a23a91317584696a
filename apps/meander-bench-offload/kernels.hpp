// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Upper bound of a device's performance: kernels on resident data.

#include <optional>

#include "gpu/device.hpp"
#include "solvers/solver.hpp"

namespace meander::bench {

struct KernelTime {
  double seconds = 0;  // per patch, the median of several repeats
  int patches = 0;     // of a launch
};

// Time of the kernel alone for up to `patches` resident patches, as many as fit into half of the device's
// free memory. nullopt if the solver has no kernel for the device. slot: the state of every patch. Throws
// OutOfMemory, DeviceError.
std::optional<KernelTime> kernel_time(gpu::Device& device, const solvers::Solver& solver,
                                      const solvers::PatchLayout& layout, int patches, const double* slot);

// Bytes that the update of a patch moves at least: it reads the slot, and the stage blocks where stages after
// the first do, and writes the new interior. For the first stage, which writes all stage blocks.
double least_bytes(const solvers::Solver& solver, const solvers::PatchLayout& layout);

}  // namespace meander::bench
