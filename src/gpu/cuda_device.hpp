// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Devices that the CUDA runtime finds. Without CUDA in the build, there are none, and that is the reason
// given.

#include <memory>
#include <string>
#include <vector>

#include "gpu/device.hpp"

namespace meander::gpu {

// "" if at least one can be used.
std::string why_no_cuda();
// All visible ones, in the runtime's order. Throws DeviceError.
std::vector<std::unique_ptr<Device>> make_cuda_devices();

}  // namespace meander::gpu
