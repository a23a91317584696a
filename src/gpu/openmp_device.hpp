// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Devices to which the OpenMP runtime offloads target regions, as described by Wille, Weinzierl et al. (ISC
// 2023). Strategy `map` is their Algorithm 1 (each batch allocates memory from the runtime), `pooled` their
// Algorithm 2 (the host holds memory and reuses it). If the runtime finds no GPU, the initial device replaces
// it under the name "openmp: host fallback": target regions then run on the host.
//
// OpenMP offers no managed memory, no stream-ordered allocation, and no pinned memory that kernels can read.
// A target region that fails ends the process. A build without OpenMP offloading has no devices, and
// why_no_openmp() states that reason.

#include <memory>
#include <string>
#include <vector>

#include "gpu/device.hpp"

namespace meander::gpu {

// Reason for the absence of OpenMP devices; "" if there is one, including the initial device.
std::string why_no_openmp();
// All devices that the runtime finds, or the initial device if there is none.
std::vector<std::unique_ptr<Device>> make_openmp_devices();

}  // namespace meander::gpu
