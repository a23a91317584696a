// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Devices that the CUDA runtime finds. A build without CUDA has none, and why_no_cuda() states that reason.

#include <memory>
#include <string>
#include <vector>

#include "gpu/device.hpp"

namespace meander::gpu {

// Reason for the absence of usable CUDA devices; "" if there is at least one.
std::string why_no_cuda();
// All visible devices, in the order of the runtime. Throws DeviceError.
std::vector<std::unique_ptr<Device>> make_cuda_devices();

}  // namespace meander::gpu
