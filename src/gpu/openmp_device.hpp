// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Devices that OpenMP's runtime offloads target regions to: the realisation that Wille, Weinzierl et al. (ISC
// 2023) describe. Strategy `map` is their Algorithm 1 (each batch has its memory from the runtime),
// `pooled` their Algorithm 2 (memory that the host holds is handed out again). Where the runtime finds no
// GPU, the initial device stands in, and says so by its name: target regions then run on the host.
//
// What the runtime lacks is lacking here: no managed memory, no pool in order of queues, no pinned memory
// that kernels would read, and a target region that fails ends the process. Without OpenMP offloading in
// the build there are no devices, and that is the reason given.

#include <memory>
#include <string>
#include <vector>

#include "gpu/device.hpp"

namespace meander::gpu {

// "" if there is a device, be it the initial one.
std::string why_no_openmp();
// All that the runtime finds, or one that stands for the host.
std::vector<std::unique_ptr<Device>> make_openmp_devices();

}  // namespace meander::gpu
